export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "other": {
          Tables: {
            "things": {
                  Row: {
                    "id": number,"name": string
                  }
                  ComputedFields: never
                  Insert: {
                    "id": number,"name": string
                  }
                  Update: {
                    "id"?: number,"name"?: string
                  }
                  Relationships: [
                    
                  ]
                }
          }
          Views: {
            "thing_names": {
                  Row: {
                    "name": string
                  }
                  ComputedFields: never
                  Insert: {
                           "name"?: string | null
                         }
                        Update: {
                           "name"?: string | null
                         }
                        Relationships: [
                    
                  ]
                }
          }
          Functions: {
            [_ in never]: never
          }
          Enums: {
            "tone": "low"|"high"
          }
          CompositeTypes: {
            "pair": {
                        "a": number | null,"b": string | null
                      }
          }
        },"wide": {
          Tables: {
            "boat_piers": {
                  Row: {
                    "boat": number,"pier": number
                  }
                  ComputedFields: never
                  Insert: {
                    "boat": number,"pier": number
                  }
                  Update: {
                    "boat"?: number,"pier"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "boat_piers_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "mv_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "boat_piers_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_of_view"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "boat_piers_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_thing"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "boat_piers_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boat_piers_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boat_piers_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"boats": {
                  Row: {
                    "crew_a": number | null,"crew_b": number | null,"id": number,"lead": number | null,"pier": number | null,"thing": number | null,"twin": number | null,"unseen": number | null,"boat_arr": (number)[] | null,"boat_comp": Database["wide"]['CompositeTypes']["point2"] | null,"boat_enum": Database["wide"]['Enums']["mood"] | null,"boat_pier_of": {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            } | null,"boat_pier_row": {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            } | null,"boat_piers_of": {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            } | null,"boat_tab": {
              "x": number,"y": string
            } | null,"crew_of": {
              "a": number,
"b": number,
"boat": number
            } | null,"inout_row": {
              "crew_a": number | null,
"crew_b": number | null,
"id": number,
"lead": number | null,
"pier": number | null,
"thing": number | null,
"twin": number | null,
"unseen": number | null
            } | null,"over7": string | null,"row_out": {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            } | null,"title": string | null,"title_named": string | null
                  }
                  ComputedFields: "boat_arr" | "boat_comp" | "boat_enum" | "boat_pier_of" | "boat_pier_row" | "boat_piers_of" | "boat_tab" | "crew_of" | "inout_row" | "over7" | "row_out" | "title" | "title_named"
                  Insert: {
                    "crew_a"?: number | null,"crew_b"?: number | null,"id": number,"lead"?: number | null,"pier"?: number | null,"thing"?: number | null,"twin"?: number | null,"unseen"?: number | null
                  }
                  Update: {
                    "crew_a"?: number | null,"crew_b"?: number | null,"id"?: number,"lead"?: number | null,"pier"?: number | null,"thing"?: number | null,"twin"?: number | null,"unseen"?: number | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "boats_crew"
      columns: ["crew_a","crew_b"]
isOneToOne: false
      referencedRelation: "crews"
      referencedColumns: ["a","b"]
    },{
      foreignKeyName: "boats_lead_fkey"
      columns: ["lead"]
isOneToOne: false
      referencedRelation: "boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_lead_fkey"
      columns: ["lead"]
isOneToOne: false
      referencedRelation: "mv_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_lead_fkey"
      columns: ["lead"]
isOneToOne: false
      referencedRelation: "v_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_lead_fkey"
      columns: ["lead"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "boats_lead_fkey"
      columns: ["lead"]
isOneToOne: false
      referencedRelation: "v_of_view"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "boats_lead_fkey"
      columns: ["lead"]
isOneToOne: false
      referencedRelation: "v_thing"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_thing_fkey"
      columns: ["thing"]
isOneToOne: false
      referencedRelation: "v_thing"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_twin_fkey"
      columns: ["twin"]
isOneToOne: true
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_twin_fkey"
      columns: ["twin"]
isOneToOne: true
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boats_twin_fkey"
      columns: ["twin"]
isOneToOne: true
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_twin_fkey"
      columns: ["twin"]
isOneToOne: true
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_twin_fkey"
      columns: ["twin"]
isOneToOne: true
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_twin_fkey"
      columns: ["twin"]
isOneToOne: true
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_twin_fkey"
      columns: ["twin"]
isOneToOne: true
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"child": {
                  Row: {
                    "extra": number,"id": number,"v": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "extra": number,"id": number,"v"?: string | null
                  }
                  Update: {
                    "extra"?: number,"id"?: number,"v"?: string | null
                  }
                  Relationships: [
                    
                  ]
                },"crews": {
                  Row: {
                    "a": number,"b": number,"boat": number
                  }
                  ComputedFields: never
                  Insert: {
                    "a": number,"b": number,"boat": number
                  }
                  Update: {
                    "a"?: number,"b"?: number,"boat"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "crews_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "crews_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "mv_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "crews_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "crews_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_left"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "crews_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_of_view"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "crews_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_thing"
      referencedColumns: ["boat"]
    }
                  ]
                },"defaults": {
                  Row: {
                    "always_i": number,"bs": number,"by_default": number,"gen": number | null,"gen_nn": number,"id": string,"j": NonNullable<Json>,"n": number,"nd": number | null,"required": string,"s": number
                  }
                  ComputedFields: never
                  Insert: {
                    "always_i"?: never,"bs"?: number,"by_default"?: number,"gen"?: never,"gen_nn"?: never,"id"?: string,"j"?: NonNullable<Json>,"n"?: number,"nd"?: number | null,"required": string,"s"?: number
                  }
                  Update: {
                    "always_i"?: never,"bs"?: number,"by_default"?: number,"gen"?: never,"gen_nn"?: never,"id"?: string,"j"?: NonNullable<Json>,"n"?: number,"nd"?: number | null,"required"?: string,"s"?: number
                  }
                  Relationships: [
                    
                  ]
                },"empty_table": {
                  Row: {
                    
                  }
                  ComputedFields: never
                  Insert: {
                    
                  }
                  Update: {
                    
                  }
                  Relationships: [
                    
                  ]
                },"no_pk": {
                  Row: {
                    "id": number | null,"n": number
                  }
                  ComputedFields: never
                  Insert: {
                    "id"?: number | null,"n": number
                  }
                  Update: {
                    "id"?: number | null,"n"?: number
                  }
                  Relationships: [
                    
                  ]
                },"parent": {
                  Row: {
                    "id": number,"v": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "id": number,"v"?: string | null
                  }
                  Update: {
                    "id"?: number,"v"?: string | null
                  }
                  Relationships: [
                    
                  ]
                },"parts": {
                  Row: {
                    "boat": number | null,"id": number,"k": number
                  }
                  ComputedFields: never
                  Insert: {
                    "boat"?: number | null,"id": number,"k": number
                  }
                  Update: {
                    "boat"?: number | null,"id"?: number,"k"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "parts_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "parts_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "mv_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "parts_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "parts_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "parts_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_of_view"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "parts_boat_fkey"
      columns: ["boat"]
isOneToOne: false
      referencedRelation: "v_thing"
      referencedColumns: ["boat"]
    }
                  ]
                },"parts_1": {
                  Row: {
                    "boat": number | null,"id": number,"k": number
                  }
                  ComputedFields: never
                  Insert: {
                    "boat"?: number | null,"id": number,"k": number
                  }
                  Update: {
                    "boat"?: number | null,"id"?: number,"k"?: number
                  }
                  Relationships: [
                    
                  ]
                },"piers": {
                  Row: {
                    "_under": number | null,"1st": number | null,"a-b": string | null,"class": string | null,"id": number,"naïve": string | null,"name": string,"weird name": number | null,"over7": string | null,"pier_named": number | null
                  }
                  ComputedFields: "over7" | "pier_named"
                  Insert: {
                    "_under"?: number | null,"1st"?: number | null,"a-b"?: string | null,"class"?: string | null,"id"?: never,"naïve"?: string | null,"name": string,"weird name"?: number | null
                  }
                  Update: {
                    "_under"?: number | null,"1st"?: number | null,"a-b"?: string | null,"class"?: string | null,"id"?: never,"naïve"?: string | null,"name"?: string,"weird name"?: number | null
                  }
                  Relationships: [
                    
                  ]
                },"Quoted Table": {
                  Row: {
                    "Id": number,"Ref": number | null
                  }
                  ComputedFields: never
                  Insert: {
                    "Id": number,"Ref"?: number | null
                  }
                  Update: {
                    "Id"?: number,"Ref"?: number | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "Quoted Table_Ref_fkey"
      columns: ["Ref"]
isOneToOne: false
      referencedRelation: "Quoted Table"
      referencedColumns: ["Id"]
    },{
      foreignKeyName: "Quoted Table_Ref_fkey"
      columns: ["Ref"]
isOneToOne: false
      referencedRelation: "View Odd"
      referencedColumns: ["The Id"]
    }
                  ]
                },"scalars": {
                  Row: {
                    "a_bit": unknown,"a_bool": boolean | null,"a_bools": (boolean)[] | null,"a_box": unknown,"a_bytea": string | null,"a_char": string | null,"a_cidr": unknown,"a_date": string | null,"a_deep": unknown,"a_domains": (unknown)[] | null,"a_email": string | null,"a_email_nn": string,"a_emails": (string)[] | null,"a_f4": number | null,"a_f8": number | null,"a_floats": unknown,"a_inet": unknown,"a_int2": number | null,"a_int4": number,"a_int4range": unknown,"a_int8": number | null,"a_internal": unknown,"a_interval": string | null,"a_ints": unknown,"a_json": Json | null,"a_json_nn": NonNullable<Json>,"a_jsonb": Json | null,"a_jsonb_nn": NonNullable<Json>,"a_jsonbs": (Json)[],"a_jsons": (Json)[] | null,"a_lsn": unknown,"a_ltree": string | null,"a_mac": unknown,"a_matrix": (number)[] | null,"a_md": Database["wide"]['Enums']["mood"] | null,"a_mds": (unknown)[] | null,"a_money": unknown,"a_mood": Database["wide"]['Enums']["mood"] | null,"a_mood_nn": Database["wide"]['Enums']["mood"],"a_moods": (Database["wide"]['Enums']["mood"])[] | null,"a_moods_nn": (Database["wide"]['Enums']["mood"])[],"a_multi": unknown,"a_name": unknown,"a_nested": Database["wide"]['CompositeTypes']["nested"] | null,"a_nnt": string,"a_num": number | null,"a_odd": Database["wide"]['Enums']["Odd Enum"] | null,"a_oid": unknown,"a_pair": Database["other"]['CompositeTypes']["pair"] | null,"a_path": unknown,"a_pier": Database["wide"]['Tables']["piers"]['Row'] | null,"a_piers": (Database["wide"]['Tables']["piers"]['Row'])[] | null,"a_point": unknown,"a_point2": Database["wide"]['CompositeTypes']["point2"] | null,"a_points": (Database["wide"]['CompositeTypes']["point2"])[] | null,"a_positive": number | null,"a_ranges": (unknown)[] | null,"a_reg": unknown,"a_text": string | null,"a_texts": (string)[] | null,"a_thing": Database["other"]['Tables']["things"]['Row'] | null,"a_time": string | null,"a_timetz": string | null,"a_tone": Database["other"]['Enums']["tone"] | null,"a_tones": (Database["other"]['Enums']["tone"])[] | null,"a_ts": string | null,"a_tsq": unknown,"a_tstz": string | null,"a_tstzrange": unknown,"a_tsv": unknown,"a_uuid": string | null,"a_uuids": (string)[],"a_varbit": unknown,"a_varchar": string | null,"a_void_like": string | null,"a_xid": unknown,"a_xml": unknown,"u_pair": unknown,"u_pairs": (unknown)[] | null,"u_thing": unknown,"u_tone": "dark"|"bright" | null,"u_tones": ("dark"|"bright")[] | null
                  }
                  ComputedFields: never
                  Insert: {
                    "a_bit"?: unknown,"a_bool"?: boolean | null,"a_bools"?: (boolean)[] | null,"a_box"?: unknown,"a_bytea"?: string | null,"a_char"?: string | null,"a_cidr"?: unknown,"a_date"?: string | null,"a_deep"?: unknown,"a_domains"?: (unknown)[] | null,"a_email"?: string | null,"a_email_nn": string,"a_emails"?: (string)[] | null,"a_f4"?: number | null,"a_f8"?: number | null,"a_floats"?: unknown,"a_inet"?: unknown,"a_int2"?: number | null,"a_int4": number,"a_int4range"?: unknown,"a_int8"?: number | null,"a_internal"?: unknown,"a_interval"?: string | null,"a_ints"?: unknown,"a_json"?: Json | null,"a_json_nn": NonNullable<Json>,"a_jsonb"?: Json | null,"a_jsonb_nn": NonNullable<Json>,"a_jsonbs": (Json)[],"a_jsons"?: (Json)[] | null,"a_lsn"?: unknown,"a_ltree"?: string | null,"a_mac"?: unknown,"a_matrix"?: (number)[] | null,"a_md"?: Database["wide"]['Enums']["mood"] | null,"a_mds"?: (unknown)[] | null,"a_money"?: unknown,"a_mood"?: Database["wide"]['Enums']["mood"] | null,"a_mood_nn": Database["wide"]['Enums']["mood"],"a_moods"?: (Database["wide"]['Enums']["mood"])[] | null,"a_moods_nn": (Database["wide"]['Enums']["mood"])[],"a_multi"?: unknown,"a_name"?: unknown,"a_nested"?: Database["wide"]['CompositeTypes']["nested"] | null,"a_nnt": string,"a_num"?: number | null,"a_odd"?: Database["wide"]['Enums']["Odd Enum"] | null,"a_oid"?: unknown,"a_pair"?: Database["other"]['CompositeTypes']["pair"] | null,"a_path"?: unknown,"a_pier"?: Database["wide"]['Tables']["piers"]['Row'] | null,"a_piers"?: (Database["wide"]['Tables']["piers"]['Row'])[] | null,"a_point"?: unknown,"a_point2"?: Database["wide"]['CompositeTypes']["point2"] | null,"a_points"?: (Database["wide"]['CompositeTypes']["point2"])[] | null,"a_positive"?: number | null,"a_ranges"?: (unknown)[] | null,"a_reg"?: unknown,"a_text"?: string | null,"a_texts"?: (string)[] | null,"a_thing"?: Database["other"]['Tables']["things"]['Row'] | null,"a_time"?: string | null,"a_timetz"?: string | null,"a_tone"?: Database["other"]['Enums']["tone"] | null,"a_tones"?: (Database["other"]['Enums']["tone"])[] | null,"a_ts"?: string | null,"a_tsq"?: unknown,"a_tstz"?: string | null,"a_tstzrange"?: unknown,"a_tsv"?: unknown,"a_uuid"?: string | null,"a_uuids"?: (string)[],"a_varbit"?: unknown,"a_varchar"?: string | null,"a_void_like"?: string | null,"a_xid"?: unknown,"a_xml"?: unknown,"u_pair"?: unknown,"u_pairs"?: (unknown)[] | null,"u_thing"?: unknown,"u_tone"?: "dark"|"bright" | null,"u_tones"?: ("dark"|"bright")[] | null
                  }
                  Update: {
                    "a_bit"?: unknown,"a_bool"?: boolean | null,"a_bools"?: (boolean)[] | null,"a_box"?: unknown,"a_bytea"?: string | null,"a_char"?: string | null,"a_cidr"?: unknown,"a_date"?: string | null,"a_deep"?: unknown,"a_domains"?: (unknown)[] | null,"a_email"?: string | null,"a_email_nn"?: string,"a_emails"?: (string)[] | null,"a_f4"?: number | null,"a_f8"?: number | null,"a_floats"?: unknown,"a_inet"?: unknown,"a_int2"?: number | null,"a_int4"?: number,"a_int4range"?: unknown,"a_int8"?: number | null,"a_internal"?: unknown,"a_interval"?: string | null,"a_ints"?: unknown,"a_json"?: Json | null,"a_json_nn"?: NonNullable<Json>,"a_jsonb"?: Json | null,"a_jsonb_nn"?: NonNullable<Json>,"a_jsonbs"?: (Json)[],"a_jsons"?: (Json)[] | null,"a_lsn"?: unknown,"a_ltree"?: string | null,"a_mac"?: unknown,"a_matrix"?: (number)[] | null,"a_md"?: Database["wide"]['Enums']["mood"] | null,"a_mds"?: (unknown)[] | null,"a_money"?: unknown,"a_mood"?: Database["wide"]['Enums']["mood"] | null,"a_mood_nn"?: Database["wide"]['Enums']["mood"],"a_moods"?: (Database["wide"]['Enums']["mood"])[] | null,"a_moods_nn"?: (Database["wide"]['Enums']["mood"])[],"a_multi"?: unknown,"a_name"?: unknown,"a_nested"?: Database["wide"]['CompositeTypes']["nested"] | null,"a_nnt"?: string,"a_num"?: number | null,"a_odd"?: Database["wide"]['Enums']["Odd Enum"] | null,"a_oid"?: unknown,"a_pair"?: Database["other"]['CompositeTypes']["pair"] | null,"a_path"?: unknown,"a_pier"?: Database["wide"]['Tables']["piers"]['Row'] | null,"a_piers"?: (Database["wide"]['Tables']["piers"]['Row'])[] | null,"a_point"?: unknown,"a_point2"?: Database["wide"]['CompositeTypes']["point2"] | null,"a_points"?: (Database["wide"]['CompositeTypes']["point2"])[] | null,"a_positive"?: number | null,"a_ranges"?: (unknown)[] | null,"a_reg"?: unknown,"a_text"?: string | null,"a_texts"?: (string)[] | null,"a_thing"?: Database["other"]['Tables']["things"]['Row'] | null,"a_time"?: string | null,"a_timetz"?: string | null,"a_tone"?: Database["other"]['Enums']["tone"] | null,"a_tones"?: (Database["other"]['Enums']["tone"])[] | null,"a_ts"?: string | null,"a_tsq"?: unknown,"a_tstz"?: string | null,"a_tstzrange"?: unknown,"a_tsv"?: unknown,"a_uuid"?: string | null,"a_uuids"?: (string)[],"a_varbit"?: unknown,"a_varchar"?: string | null,"a_void_like"?: string | null,"a_xid"?: unknown,"a_xml"?: unknown,"u_pair"?: unknown,"u_pairs"?: (unknown)[] | null,"u_thing"?: unknown,"u_tone"?: "dark"|"bright" | null,"u_tones"?: ("dark"|"bright")[] | null
                  }
                  Relationships: [
                    
                  ]
                },"shares": {
                  Row: {
                    "boat": number
                  }
                  ComputedFields: never
                  Insert: {
                    "boat": number
                  }
                  Update: {
                    "boat"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "shares_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "shares_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "mv_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "shares_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_boats"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "shares_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_left"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "shares_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_of_view"
      referencedColumns: ["boat"]
    },{
      foreignKeyName: "shares_boat_fkey"
      columns: ["boat"]
isOneToOne: true
      referencedRelation: "v_thing"
      referencedColumns: ["boat"]
    }
                  ]
                },"unl": {
                  Row: {
                    "id": number | null
                  }
                  ComputedFields: never
                  Insert: {
                    "id"?: number | null
                  }
                  Update: {
                    "id"?: number | null
                  }
                  Relationships: [
                    
                  ]
                }
          }
          Views: {
            "mv_agg": {
                  Row: {
                    "n": number | null,"pier": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    {
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"mv_boats": {
                  Row: {
                    "id": number,"pier": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    {
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"v_agg": {
                  Row: {
                    "ids": (number)[] | null,"j": Json | null,"m": number | null,"n": number | null,"pier": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    {
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["pier"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"v_boats": {
                  Row: {
                    "berth": number | null,"berth2": number | null,"id": number,"view_title": string | null
                  }
                  ComputedFields: "view_title"
                  Insert: {
                           "berth"?: number | null,"berth2"?: number | null,"id"?: number | null
                         }
                        Update: {
                           "berth"?: number | null,"berth2"?: number | null,"id"?: number | null
                         }
                        Relationships: [
                    {
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth"]
isOneToOne: false
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth2"]
isOneToOne: false
      referencedRelation: "piers"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth2"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["pier"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth"]
isOneToOne: false
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth2"]
isOneToOne: false
      referencedRelation: "v_ro"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth"]
isOneToOne: false
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth2"]
isOneToOne: false
      referencedRelation: "v_rule"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth"]
isOneToOne: false
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth2"]
isOneToOne: false
      referencedRelation: "v_simple"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth"]
isOneToOne: false
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth2"]
isOneToOne: false
      referencedRelation: "v_some"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "boats_pier_fkey"
      columns: ["berth2"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"v_checked": {
                  Row: {
                    "always_i": number,"bs": number,"by_default": number,"gen": number | null,"gen_nn": number,"id": string,"j": NonNullable<Json>,"n": number,"nd": number | null,"required": string,"s": number
                  }
                  ComputedFields: never
                  Insert: {
                           "always_i"?: number | null,"bs"?: number | null,"by_default"?: number | null,"gen"?: number | null,"gen_nn"?: number | null,"id"?: string | null,"j"?: Json | null,"n"?: number | null,"nd"?: number | null,"required"?: string | null,"s"?: number | null
                         }
                        Update: {
                           "always_i"?: number | null,"bs"?: number | null,"by_default"?: number | null,"gen"?: number | null,"gen_nn"?: number | null,"id"?: string | null,"j"?: Json | null,"n"?: number | null,"nd"?: number | null,"required"?: string | null,"s"?: number | null
                         }
                        Relationships: [
                    
                  ]
                },"v_const": {
                  Row: {
                    "m": Database["wide"]['Enums']["mood"] | null,"one": number | null,"p": Database["wide"]['CompositeTypes']["point2"] | null,"t": string | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_defaults": {
                  Row: {
                    "always_i": number,"gen": number | null,"id": string,"n": number,"required": string
                  }
                  ComputedFields: never
                  Insert: {
                           "always_i"?: number | null,"gen"?: number | null,"id"?: string | null,"n"?: number | null,"required"?: string | null
                         }
                        Update: {
                           "always_i"?: number | null,"gen"?: number | null,"id"?: string | null,"n"?: number | null,"required"?: string | null
                         }
                        Relationships: [
                    
                  ]
                },"v_left": {
                  Row: {
                    "boat": number,"deeper": number | null,"name": string | null,"pier": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_of_view": {
                  Row: {
                    "boat": number,"name": string | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_ro": {
                  Row: {
                    "id": number
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_rule": {
                  Row: {
                    "id": number,"name": string
                  }
                  ComputedFields: never
                  Insert: {
                           "id"?: number | null,"name"?: string | null
                         }
                        Relationships: [
                    
                  ]
                },"v_scalars": {
                  Row: {
                    "a_bit": unknown,"a_bool": boolean | null,"a_bools": (boolean)[] | null,"a_box": unknown,"a_bytea": string | null,"a_char": string | null,"a_cidr": unknown,"a_date": string | null,"a_deep": unknown,"a_domains": (unknown)[] | null,"a_email": string | null,"a_email_nn": string,"a_emails": (string)[] | null,"a_f4": number | null,"a_f8": number | null,"a_floats": unknown,"a_inet": unknown,"a_int2": number | null,"a_int4": number,"a_int4range": unknown,"a_int8": number | null,"a_internal": unknown,"a_interval": string | null,"a_ints": unknown,"a_json": Json | null,"a_json_nn": NonNullable<Json>,"a_jsonb": Json | null,"a_jsonb_nn": NonNullable<Json>,"a_jsonbs": (Json)[],"a_jsons": (Json)[] | null,"a_lsn": unknown,"a_ltree": string | null,"a_mac": unknown,"a_matrix": (number)[] | null,"a_md": Database["wide"]['Enums']["mood"] | null,"a_mds": (unknown)[] | null,"a_money": unknown,"a_mood": Database["wide"]['Enums']["mood"] | null,"a_mood_nn": Database["wide"]['Enums']["mood"],"a_moods": (Database["wide"]['Enums']["mood"])[] | null,"a_moods_nn": (Database["wide"]['Enums']["mood"])[],"a_multi": unknown,"a_name": unknown,"a_nested": Database["wide"]['CompositeTypes']["nested"] | null,"a_nnt": string,"a_num": number | null,"a_odd": Database["wide"]['Enums']["Odd Enum"] | null,"a_oid": unknown,"a_pair": Database["other"]['CompositeTypes']["pair"] | null,"a_path": unknown,"a_pier": Database["wide"]['Tables']["piers"]['Row'] | null,"a_piers": (Database["wide"]['Tables']["piers"]['Row'])[] | null,"a_point": unknown,"a_point2": Database["wide"]['CompositeTypes']["point2"] | null,"a_points": (Database["wide"]['CompositeTypes']["point2"])[] | null,"a_positive": number | null,"a_ranges": (unknown)[] | null,"a_reg": unknown,"a_text": string | null,"a_texts": (string)[] | null,"a_thing": Database["other"]['Tables']["things"]['Row'] | null,"a_time": string | null,"a_timetz": string | null,"a_tone": Database["other"]['Enums']["tone"] | null,"a_tones": (Database["other"]['Enums']["tone"])[] | null,"a_ts": string | null,"a_tsq": unknown,"a_tstz": string | null,"a_tstzrange": unknown,"a_tsv": unknown,"a_uuid": string | null,"a_uuids": (string)[],"a_varbit": unknown,"a_varchar": string | null,"a_void_like": string | null,"a_xid": unknown,"a_xml": unknown,"u_pair": unknown,"u_pairs": (unknown)[] | null,"u_thing": unknown,"u_tone": "dark"|"bright" | null,"u_tones": ("dark"|"bright")[] | null
                  }
                  ComputedFields: never
                  Insert: {
                           "a_bit"?: unknown,"a_bool"?: boolean | null,"a_bools"?: (boolean)[] | null,"a_box"?: unknown,"a_bytea"?: string | null,"a_char"?: string | null,"a_cidr"?: unknown,"a_date"?: string | null,"a_deep"?: unknown,"a_domains"?: (unknown)[] | null,"a_email"?: string | null,"a_email_nn"?: string | null,"a_emails"?: (string)[] | null,"a_f4"?: number | null,"a_f8"?: number | null,"a_floats"?: unknown,"a_inet"?: unknown,"a_int2"?: number | null,"a_int4"?: number | null,"a_int4range"?: unknown,"a_int8"?: number | null,"a_internal"?: unknown,"a_interval"?: string | null,"a_ints"?: unknown,"a_json"?: Json | null,"a_json_nn"?: Json | null,"a_jsonb"?: Json | null,"a_jsonb_nn"?: Json | null,"a_jsonbs"?: (Json)[] | null,"a_jsons"?: (Json)[] | null,"a_lsn"?: unknown,"a_ltree"?: string | null,"a_mac"?: unknown,"a_matrix"?: (number)[] | null,"a_md"?: Database["wide"]['Enums']["mood"] | null,"a_mds"?: (unknown)[] | null,"a_money"?: unknown,"a_mood"?: Database["wide"]['Enums']["mood"] | null,"a_mood_nn"?: Database["wide"]['Enums']["mood"] | null,"a_moods"?: (Database["wide"]['Enums']["mood"])[] | null,"a_moods_nn"?: (Database["wide"]['Enums']["mood"])[] | null,"a_multi"?: unknown,"a_name"?: unknown,"a_nested"?: Database["wide"]['CompositeTypes']["nested"] | null,"a_nnt"?: string | null,"a_num"?: number | null,"a_odd"?: Database["wide"]['Enums']["Odd Enum"] | null,"a_oid"?: unknown,"a_pair"?: Database["other"]['CompositeTypes']["pair"] | null,"a_path"?: unknown,"a_pier"?: Database["wide"]['Tables']["piers"]['Row'] | null,"a_piers"?: (Database["wide"]['Tables']["piers"]['Row'])[] | null,"a_point"?: unknown,"a_point2"?: Database["wide"]['CompositeTypes']["point2"] | null,"a_points"?: (Database["wide"]['CompositeTypes']["point2"])[] | null,"a_positive"?: number | null,"a_ranges"?: (unknown)[] | null,"a_reg"?: unknown,"a_text"?: string | null,"a_texts"?: (string)[] | null,"a_thing"?: Database["other"]['Tables']["things"]['Row'] | null,"a_time"?: string | null,"a_timetz"?: string | null,"a_tone"?: Database["other"]['Enums']["tone"] | null,"a_tones"?: (Database["other"]['Enums']["tone"])[] | null,"a_ts"?: string | null,"a_tsq"?: unknown,"a_tstz"?: string | null,"a_tstzrange"?: unknown,"a_tsv"?: unknown,"a_uuid"?: string | null,"a_uuids"?: (string)[] | null,"a_varbit"?: unknown,"a_varchar"?: string | null,"a_void_like"?: string | null,"a_xid"?: unknown,"a_xml"?: unknown,"u_pair"?: unknown,"u_pairs"?: (unknown)[] | null,"u_thing"?: unknown,"u_tone"?: "dark"|"bright" | null,"u_tones"?: ("dark"|"bright")[] | null
                         }
                        Update: {
                           "a_bit"?: unknown,"a_bool"?: boolean | null,"a_bools"?: (boolean)[] | null,"a_box"?: unknown,"a_bytea"?: string | null,"a_char"?: string | null,"a_cidr"?: unknown,"a_date"?: string | null,"a_deep"?: unknown,"a_domains"?: (unknown)[] | null,"a_email"?: string | null,"a_email_nn"?: string | null,"a_emails"?: (string)[] | null,"a_f4"?: number | null,"a_f8"?: number | null,"a_floats"?: unknown,"a_inet"?: unknown,"a_int2"?: number | null,"a_int4"?: number | null,"a_int4range"?: unknown,"a_int8"?: number | null,"a_internal"?: unknown,"a_interval"?: string | null,"a_ints"?: unknown,"a_json"?: Json | null,"a_json_nn"?: Json | null,"a_jsonb"?: Json | null,"a_jsonb_nn"?: Json | null,"a_jsonbs"?: (Json)[] | null,"a_jsons"?: (Json)[] | null,"a_lsn"?: unknown,"a_ltree"?: string | null,"a_mac"?: unknown,"a_matrix"?: (number)[] | null,"a_md"?: Database["wide"]['Enums']["mood"] | null,"a_mds"?: (unknown)[] | null,"a_money"?: unknown,"a_mood"?: Database["wide"]['Enums']["mood"] | null,"a_mood_nn"?: Database["wide"]['Enums']["mood"] | null,"a_moods"?: (Database["wide"]['Enums']["mood"])[] | null,"a_moods_nn"?: (Database["wide"]['Enums']["mood"])[] | null,"a_multi"?: unknown,"a_name"?: unknown,"a_nested"?: Database["wide"]['CompositeTypes']["nested"] | null,"a_nnt"?: string | null,"a_num"?: number | null,"a_odd"?: Database["wide"]['Enums']["Odd Enum"] | null,"a_oid"?: unknown,"a_pair"?: Database["other"]['CompositeTypes']["pair"] | null,"a_path"?: unknown,"a_pier"?: Database["wide"]['Tables']["piers"]['Row'] | null,"a_piers"?: (Database["wide"]['Tables']["piers"]['Row'])[] | null,"a_point"?: unknown,"a_point2"?: Database["wide"]['CompositeTypes']["point2"] | null,"a_points"?: (Database["wide"]['CompositeTypes']["point2"])[] | null,"a_positive"?: number | null,"a_ranges"?: (unknown)[] | null,"a_reg"?: unknown,"a_text"?: string | null,"a_texts"?: (string)[] | null,"a_thing"?: Database["other"]['Tables']["things"]['Row'] | null,"a_time"?: string | null,"a_timetz"?: string | null,"a_tone"?: Database["other"]['Enums']["tone"] | null,"a_tones"?: (Database["other"]['Enums']["tone"])[] | null,"a_ts"?: string | null,"a_tsq"?: unknown,"a_tstz"?: string | null,"a_tstzrange"?: unknown,"a_tsv"?: unknown,"a_uuid"?: string | null,"a_uuids"?: (string)[] | null,"a_varbit"?: unknown,"a_varchar"?: string | null,"a_void_like"?: string | null,"a_xid"?: unknown,"a_xml"?: unknown,"u_pair"?: unknown,"u_pairs"?: (unknown)[] | null,"u_thing"?: unknown,"u_tone"?: "dark"|"bright" | null,"u_tones"?: ("dark"|"bright")[] | null
                         }
                        Relationships: [
                    
                  ]
                },"v_simple": {
                  Row: {
                    "_under": number | null,"1st": number | null,"a-b": string | null,"class": string | null,"id": number,"naïve": string | null,"name": string,"weird name": number | null
                  }
                  ComputedFields: never
                  Insert: {
                           "_under"?: number | null,"1st"?: number | null,"a-b"?: string | null,"class"?: string | null,"id"?: number | null,"naïve"?: string | null,"name"?: string | null,"weird name"?: number | null
                         }
                        Update: {
                           "_under"?: number | null,"1st"?: number | null,"a-b"?: string | null,"class"?: string | null,"id"?: number | null,"naïve"?: string | null,"name"?: string | null,"weird name"?: number | null
                         }
                        Relationships: [
                    
                  ]
                },"v_some": {
                  Row: {
                    "id": number,"name": string,"up": string | null
                  }
                  ComputedFields: never
                  Insert: {
                           "id"?: number | null,"name"?: string | null,"up"?: never
                         }
                        Update: {
                           "id"?: number | null,"name"?: string | null,"up"?: never
                         }
                        Relationships: [
                    
                  ]
                },"v_thing": {
                  Row: {
                    "boat": number,"id": number,"name": string
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_trigger": {
                  Row: {
                    "id": number,"name": string
                  }
                  ComputedFields: never
                  Insert: {
                           "id"?: number | null,"name"?: string | null
                         }
                        Relationships: [
                    
                  ]
                },"v_union": {
                  Row: {
                    "id": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"View Odd": {
                  Row: {
                    "The Id": number
                  }
                  ComputedFields: never
                  Insert: {
                           "The Id"?: number | null
                         }
                        Update: {
                           "The Id"?: number | null
                         }
                        Relationships: [
                    
                  ]
                }
          }
          Functions: {
            "arr":
{ Args: { "a": (number)[],"m": (Database["wide"]['Enums']["mood"])[],"p": Database["wide"]['CompositeTypes']["point2"],"ps": (Database["wide"]['CompositeTypes']["point2"])[] }; Returns: (Database["wide"]['Enums']["mood"])[]
                           },
"arr_set":
{ Args: { "a": number }; Returns: (number)[][]
                           },
"bare":
{ Args: Record<PropertyKey, never>; Returns: number
                           },
"boat_arr":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.boat_arr with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"boat_comp":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.boat_comp with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                          SetofOptions: {
        from: "wide.boats"
        to: "point2"
        isOneToOne: true
        isSetofReturn: false
      } },
"boat_enum":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.boat_enum with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"boat_pier_of":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.boat_pier_of with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                          SetofOptions: {
        from: "wide.boats"
        to: "piers"
        isOneToOne: true
        isSetofReturn: true
      } },
"boat_pier_row":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.boat_pier_row with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                          SetofOptions: {
        from: "wide.boats"
        to: "piers"
        isOneToOne: true
        isSetofReturn: false
      } },
"boat_piers_of":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.boat_piers_of with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                          SetofOptions: {
        from: "wide.boats"
        to: "piers"
        isOneToOne: false
        isSetofReturn: true
      } },
"boat_tab":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.boat_tab with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"boat_two_named":
{ Args: { "b": Omit<Database["wide"]['Tables']["boats"]['Row'], Database["wide"]['Tables']["boats"]['ComputedFields']>,"n"?: number }; Returns: {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            }[]
                          SetofOptions: {
        from: "*"
        to: "piers"
        isOneToOne: false
        isSetofReturn: true
      } },
"bodies":
{ Args: { ""?: Json,""?: string }; Returns: number
                           },
"body_json":
{ Args: { "": Json }; Returns: Json
                           },
"body_jsonb":
{ Args: { "": Json }; Returns: Json
                           },
"body_text":
{ Args: { "": string }; Returns: string
                           },
"comp":
{ Args: Record<PropertyKey, never>; Returns: Database["wide"]['CompositeTypes']["point2"]
                          SetofOptions: {
        from: "*"
        to: "point2"
        isOneToOne: true
        isSetofReturn: false
      } },
"comp_arg":
{ Args: { "": Database["wide"]['CompositeTypes']["point2"] }; Returns: { error: true } & "the function wide.comp_arg with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"comp_arg_named":
{ Args: { "p": Database["wide"]['CompositeTypes']["point2"] }; Returns: {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            }
                          SetofOptions: {
        from: "wide.point2"
        to: "piers"
        isOneToOne: true
        isSetofReturn: false
      } },
"comps":
{ Args: Record<PropertyKey, never>; Returns: Database["wide"]['CompositeTypes']["point2"][]
                          SetofOptions: {
        from: "*"
        to: "point2"
        isOneToOne: false
        isSetofReturn: true
      } },
"crew_of":
{ Args: { "b": Omit<Database["wide"]['Tables']["boats"]['Row'], Database["wide"]['Tables']["boats"]['ComputedFields']> }; Returns: {
              "a": number,
"b": number,
"boat": number
            }
                          SetofOptions: {
        from: "wide.boats"
        to: "crews"
        isOneToOne: true
        isSetofReturn: true
      } },
"crews_arg":
{ Args: { "c": (Database["wide"]['Tables']["crews"]['Row'])[] }; Returns: number
                           },
"curs":
{ Args: Record<PropertyKey, never>; Returns: unknown
                           },
"dom":
{ Args: { "e": unknown,"es": unknown,"p": unknown }; Returns: unknown
                           },
"dom_set":
{ Args: Record<PropertyKey, never>; Returns: unknown[]
                           },
"enum_ret":
{ Args: Record<PropertyKey, never>; Returns: Database["wide"]['Enums']["mood"]
                           },
"enum_set":
{ Args: Record<PropertyKey, never>; Returns: Database["wide"]['Enums']["mood"][]
                           },
"few":
{ Args: { "n": number }; Returns: {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            }[]
                          SetofOptions: {
        from: "*"
        to: "piers"
        isOneToOne: false
        isSetofReturn: true
      } },
"floats_multirange":
{ Args: Record<PropertyKey, never>; Returns: unknown
                           },
"inout_row":
{ Args: { "b": Omit<Database["wide"]['Tables']["boats"]['Row'], Database["wide"]['Tables']["boats"]['ComputedFields']> }; Returns: {
              "crew_a": number | null,
"crew_b": number | null,
"id": number,
"lead": number | null,
"pier": number | null,
"thing": number | null,
"twin": number | null,
"unseen": number | null
            }
                          SetofOptions: {
        from: "wide.boats"
        to: "boats"
        isOneToOne: true
        isSetofReturn: false
      } },
"inouts":
{ Args: { "x": number,"y": string }; Returns: Record<string, unknown>
                           },
"internal_ret":
{ Args: Record<PropertyKey, never>; Returns: unknown
                           },
"mv_rows":
{ Args: Record<PropertyKey, never>; Returns: {
              "id": number,
"pier": number | null
            }[]
                          SetofOptions: {
        from: "*"
        to: "mv_boats"
        isOneToOne: false
        isSetofReturn: true
      } },
"name":
{ Args: { "": Database["wide"]['Tables']["piers"]['Row'] }; Returns: { error: true } & "the function wide.name with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"nested_ret":
{ Args: Record<PropertyKey, never>; Returns: Database["wide"]['CompositeTypes']["nested"]
                          SetofOptions: {
        from: "*"
        to: "nested"
        isOneToOne: true
        isSetofReturn: false
      } },
"nothing":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"Odd Function":
{ Args: { "The Arg": number }; Returns: number
                           },
"one_arg":
{ Args: { "a": number }; Returns: string
                           },
"one_out":
{ Args: { "a": number }; Returns: number
                           },
"optional":
{ Args: { "a": number,"b"?: string,"c"?: Database["wide"]['Enums']["mood"] }; Returns: boolean
                           },
"other_enum":
{ Args: { "t": Database["other"]['Enums']["tone"] }; Returns: Database["other"]['Enums']["tone"]
                           },
"other_named":
{ Args: { "t": Omit<Database["other"]['Tables']["things"]['Row'], Database["other"]['Tables']["things"]['ComputedFields']> }; Returns: string
                           },
"other_rows":
{ Args: Record<PropertyKey, never>; Returns: Database["other"]['Tables']["things"]['Row'][]
                          SetofOptions: {
        from: "*"
        to: "things"
        isOneToOne: false
        isSetofReturn: true
      } },
"outs":
{ Args: { "a": number }; Returns: Record<string, unknown>
                           },
"over":
{ Args: { "a": number }; Returns: { error: true } & "Could not choose the best candidate function between: wide.over(a => int4), wide.over(a => text). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
                           } |
{ Args: { "a": number,"b": string }; Returns: number
                           } |
{ Args: { "a": string }; Returns: { error: true } & "Could not choose the best candidate function between: wide.over(a => int4), wide.over(a => text). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
                           },
"over2":
{ Args: { "a": number }; Returns: number
                           } |
{ Args: { "b": number }; Returns: string
                           },
"over3":
{ Args: { "a": number,"b": number }; Returns: number
                           } |
{ Args: { "a": string,"b": string }; Returns: number
                           },
"over4":
{ Args: Record<PropertyKey, never>; Returns: { error: true } & "Could not choose the best candidate function between: wide.over4(), wide.over4( => text). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
                           } |
{ Args: { ""?: string }; Returns: string
                           },
"over5":
{ Args: Record<PropertyKey, never>; Returns: number
                           } |
{ Args: { "a"?: number }; Returns: number
                           },
"over6":
{ Args: { "a"?: number }; Returns: number
                           } |
{ Args: { "a": number,"b"?: number }; Returns: number
                           },
"over7":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.over7 with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           } |
{ Args: { "": Database["wide"]['Tables']["piers"]['Row'] }; Returns: { error: true } & "the function wide.over7 with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"over8":
{ Args: { "a": number }; Returns: number
                           } |
{ Args: { "": Json }; Returns: number
                           },
"over9":
{ Args: { "": Json }; Returns: number
                           } |
{ Args: { "": Json }; Returns: number
                           } |
{ Args: { "": string }; Returns: number
                           },
"pier_named":
{ Args: { "p": Omit<Database["wide"]['Tables']["piers"]['Row'], Database["wide"]['Tables']["piers"]['ComputedFields']> }; Returns: number
                           },
"poly":
{ Args: { "a": unknown }; Returns: unknown
                           },
"poly_arr":
{ Args: { "a": unknown }; Returns: unknown
                           },
"range_ret":
{ Args: { "r": unknown }; Returns: unknown
                           },
"rec":
{ Args: Record<PropertyKey, never>; Returns: Record<string, unknown>
                           },
"recs":
{ Args: Record<PropertyKey, never>; Returns: Record<string, unknown>[]
                           },
"row_out":
{ Args: { "b": Omit<Database["wide"]['Tables']["boats"]['Row'], Database["wide"]['Tables']["boats"]['ComputedFields']> }; Returns: {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            }
                          SetofOptions: {
        from: "*"
        to: "piers"
        isOneToOne: true
        isSetofReturn: false
      } },
"row_ret":
{ Args: Record<PropertyKey, never>; Returns: {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            }
                          SetofOptions: {
        from: "*"
        to: "piers"
        isOneToOne: true
        isSetofReturn: false
      } },
"rows_arr":
{ Args: Record<PropertyKey, never>; Returns: (Database["wide"]['Tables']["piers"]['Row'])[]
                           },
"rows_one":
{ Args: Record<PropertyKey, never>; Returns: {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            }
                          SetofOptions: {
        from: "*"
        to: "piers"
        isOneToOne: true
        isSetofReturn: true
      } },
"rows_ret":
{ Args: Record<PropertyKey, never>; Returns: {
              "_under": number | null,
"1st": number | null,
"a-b": string | null,
"class": string | null,
"id": number,
"naïve": string | null,
"name": string,
"weird name": number | null
            }[]
                          SetofOptions: {
        from: "*"
        to: "piers"
        isOneToOne: false
        isSetofReturn: true
      } },
"scalars_row":
{ Args: Record<PropertyKey, never>; Returns: {
              "a_bit": unknown,
"a_bool": boolean | null,
"a_bools": (boolean)[] | null,
"a_box": unknown,
"a_bytea": string | null,
"a_char": string | null,
"a_cidr": unknown,
"a_date": string | null,
"a_deep": unknown,
"a_domains": (unknown)[] | null,
"a_email": string | null,
"a_email_nn": string,
"a_emails": (string)[] | null,
"a_f4": number | null,
"a_f8": number | null,
"a_floats": unknown,
"a_inet": unknown,
"a_int2": number | null,
"a_int4": number,
"a_int4range": unknown,
"a_int8": number | null,
"a_internal": unknown,
"a_interval": string | null,
"a_ints": unknown,
"a_json": Json | null,
"a_json_nn": NonNullable<Json>,
"a_jsonb": Json | null,
"a_jsonb_nn": NonNullable<Json>,
"a_jsonbs": (Json)[],
"a_jsons": (Json)[] | null,
"a_lsn": unknown,
"a_ltree": string | null,
"a_mac": unknown,
"a_matrix": (number)[] | null,
"a_md": Database["wide"]['Enums']["mood"] | null,
"a_mds": (unknown)[] | null,
"a_money": unknown,
"a_mood": Database["wide"]['Enums']["mood"] | null,
"a_mood_nn": Database["wide"]['Enums']["mood"],
"a_moods": (Database["wide"]['Enums']["mood"])[] | null,
"a_moods_nn": (Database["wide"]['Enums']["mood"])[],
"a_multi": unknown,
"a_name": unknown,
"a_nested": Database["wide"]['CompositeTypes']["nested"] | null,
"a_nnt": string,
"a_num": number | null,
"a_odd": Database["wide"]['Enums']["Odd Enum"] | null,
"a_oid": unknown,
"a_pair": Database["other"]['CompositeTypes']["pair"] | null,
"a_path": unknown,
"a_pier": Database["wide"]['Tables']["piers"]['Row'] | null,
"a_piers": (Database["wide"]['Tables']["piers"]['Row'])[] | null,
"a_point": unknown,
"a_point2": Database["wide"]['CompositeTypes']["point2"] | null,
"a_points": (Database["wide"]['CompositeTypes']["point2"])[] | null,
"a_positive": number | null,
"a_ranges": (unknown)[] | null,
"a_reg": unknown,
"a_text": string | null,
"a_texts": (string)[] | null,
"a_thing": Database["other"]['Tables']["things"]['Row'] | null,
"a_time": string | null,
"a_timetz": string | null,
"a_tone": Database["other"]['Enums']["tone"] | null,
"a_tones": (Database["other"]['Enums']["tone"])[] | null,
"a_ts": string | null,
"a_tsq": unknown,
"a_tstz": string | null,
"a_tstzrange": unknown,
"a_tsv": unknown,
"a_uuid": string | null,
"a_uuids": (string)[],
"a_varbit": unknown,
"a_varchar": string | null,
"a_void_like": string | null,
"a_xid": unknown,
"a_xml": unknown,
"u_pair": unknown,
"u_pairs": (unknown)[] | null,
"u_thing": unknown,
"u_tone": "dark"|"bright" | null,
"u_tones": ("dark"|"bright")[] | null
            }
                          SetofOptions: {
        from: "*"
        to: "scalars"
        isOneToOne: true
        isSetofReturn: false
      } },
"set_outs":
{ Args: { "a": number }; Returns: Record<string, unknown>[]
                           },
"show_limit":
{ Args: Record<PropertyKey, never>; Returns: number
                           },
"show_trgm":
{ Args: { "": string }; Returns: (string)[]
                           },
"tab":
{ Args: Record<PropertyKey, never>; Returns: {
              "arr": (string)[],"id": number,"j": Json,"m": Database["wide"]['Enums']["mood"],"Odd": string,"p": Database["wide"]['CompositeTypes']["point2"]
            }[]
                           },
"tab_one":
{ Args: { "a": number }; Returns: {
              "x": number
            }[]
                           },
"title":
{ Args: { "": Database["wide"]['Tables']["boats"]['Row'] }; Returns: { error: true } & "the function wide.title with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"title_named":
{ Args: { "b": Omit<Database["wide"]['Tables']["boats"]['Row'], Database["wide"]['Tables']["boats"]['ComputedFields']> }; Returns: string
                           },
"ts":
{ Args: { "a": string,"b": string,"c": string,"d": string,"e": string,"f": string,"g": unknown,"h": unknown,"i": unknown }; Returns: string
                           },
"unnamed_default":
{ Args: { ""?: string }; Returns: number
                           },
"unseen_args":
{ Args: { "p": unknown,"r": unknown,"t": "dark"|"bright" }; Returns: "dark"|"bright"
                           },
"unseen_rows":
{ Args: Record<PropertyKey, never>; Returns: unknown[]
                          SetofOptions: {
        from: "*"
        to: "hidden"
        isOneToOne: false
        isSetofReturn: true
      } },
"var":
{ Args: { "a": (string)[] }; Returns: string
                           },
"view_row":
{ Args: Record<PropertyKey, never>; Returns: {
              "boat": number,
"deeper": number | null,
"name": string | null,
"pier": number | null
            }
                          SetofOptions: {
        from: "*"
        to: "v_left"
        isOneToOne: true
        isSetofReturn: false
      } },
"view_rows":
{ Args: Record<PropertyKey, never>; Returns: {
              "berth": number | null,
"berth2": number | null,
"id": number
            }[]
                          SetofOptions: {
        from: "*"
        to: "v_boats"
        isOneToOne: false
        isSetofReturn: true
      } },
"view_title":
{ Args: { "": Database["wide"]['Views']["v_boats"]['Row'] }; Returns: { error: true } & "the function wide.view_title with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"zs":
{ Args: { "a": string,"m-x": Json,"Odd Name": number,"z": number }; Returns: Json
                           }
          }
          Enums: {
            "mood": "calm"|"a \"rough\" sea"|"it's"|"back\\slash"|"ünï","Odd Enum": "A"|"b"
          }
          CompositeTypes: {
            "nested": {
                        "p": Database["wide"]['CompositeTypes']["point2"] | null,"mail": unknown,"list": (Database["wide"]['CompositeTypes']["point2"])[] | null,"j": Json | null,"t": Database["other"]['Enums']["tone"] | null
                      },"point2": {
                        "x": number | null,"y": number | null,"m": Database["wide"]['Enums']["mood"] | null,"tags": (string)[] | null
                      }
          }
        }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "other">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R
    }
    ? R
    : never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I
    }
    ? I
    : never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U
    }
    ? U
    : never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  "other": {
          Enums: {
            "tone": ["low", "high"]
          }
        },"wide": {
          Enums: {
            "mood": ["calm", "a \"rough\" sea", "it's", "back\\slash", "ünï"],"Odd Enum": ["A", "b"]
          }
        }
} as const
