export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  // Lets createClient choose the dialect that the server speaks.
  __InternalSupabase: {
    PostgrestVersion: "13.0.5"
  }
