type Schemas = Omit<Database, "__InternalSupabase">
type DefaultSchema = Schemas[Extract<keyof Schemas, "public">]
type Place = { schema: keyof Schemas }

// A name of the default schema, or { schema } and a name of that: Tables<"towns">, Tables<{ schema: "api" }, "towns">.
type Found<Where, Name, Part extends keyof DefaultSchema> = Where extends Place
  ? Name extends keyof Schemas[Where["schema"]][Part]
    ? Schemas[Where["schema"]][Part][Name]
    : never
  : Where extends keyof DefaultSchema[Part]
    ? DefaultSchema[Part][Where]
    : never
type NameOf<Where, Part extends keyof DefaultSchema> = Where extends Place ? keyof Schemas[Where["schema"]][Part] : never

export type Tables<
  Where extends keyof DefaultSchema["Tables"] | keyof DefaultSchema["Views"] | Place,
  Name extends NameOf<Where, "Tables"> | NameOf<Where, "Views"> = never,
> = (Found<Where, Name, "Tables"> | Found<Where, Name, "Views">) extends { Row: infer Row } ? Row : never

export type TablesInsert<
  Where extends keyof DefaultSchema["Tables"] | Place,
  Name extends NameOf<Where, "Tables"> = never,
> = Found<Where, Name, "Tables"> extends { Insert: infer Insert } ? Insert : never

export type TablesUpdate<
  Where extends keyof DefaultSchema["Tables"] | Place,
  Name extends NameOf<Where, "Tables"> = never,
> = Found<Where, Name, "Tables"> extends { Update: infer Update } ? Update : never

export type Enums<Where extends keyof DefaultSchema["Enums"] | Place, Name extends NameOf<Where, "Enums"> = never> = Found<
  Where,
  Name,
  "Enums"
>

export type CompositeTypes<
  Where extends keyof DefaultSchema["CompositeTypes"] | Place,
  Name extends NameOf<Where, "CompositeTypes"> = never,
> = Found<Where, Name, "CompositeTypes">

