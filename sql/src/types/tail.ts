type Schemas = Omit<Database, "__InternalSupabase">
type DefaultSchema = Schemas[Extract<keyof Schemas, "public">]

export type Tables<Name extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])> =
  (DefaultSchema["Tables"] & DefaultSchema["Views"])[Name] extends { Row: infer Row } ? Row : never

export type TablesInsert<Name extends keyof DefaultSchema["Tables"]> =
  DefaultSchema["Tables"][Name] extends { Insert: infer Insert } ? Insert : never

export type TablesUpdate<Name extends keyof DefaultSchema["Tables"]> =
  DefaultSchema["Tables"][Name] extends { Update: infer Update } ? Update : never

export type Enums<Name extends keyof DefaultSchema["Enums"]> = DefaultSchema["Enums"][Name]

export type CompositeTypes<Name extends keyof DefaultSchema["CompositeTypes"]> = DefaultSchema["CompositeTypes"][Name]

