export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  // Lets createClient choose the dialect that the server speaks.
  __InternalSupabase: {
    PostgrestVersion: "13.0.5"
  }
  graphql_public: {
    Tables: {
      [_ in never]: never
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      graphql: { Args: { extensions?: Json; operationName?: string; query?: string; variables?: Json }; Returns: Json }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
  public: {
    Tables: {
      audit_log: {
        Row: {
          action: string
          actor_email: string | null
          actor_id: string | null
          actor_role: string
          changed_at: string
          changes: Json | null
          id: number
          record_id: string
          table_name: string
        }
        ComputedFields: never
        Insert: {
          action: string
          actor_email?: string | null
          actor_id?: string | null
          actor_role: string
          changed_at?: string
          changes?: Json | null
          id?: never
          record_id: string
          table_name: string
        }
        Update: {
          action?: string
          actor_email?: string | null
          actor_id?: string | null
          actor_role?: string
          changed_at?: string
          changes?: Json | null
          id?: never
          record_id?: string
          table_name?: string
        }
        Relationships: []
      }
      contact_departments: {
        Row: {
          contact_id: string
          created_at: string
          department_id: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          contact_id: string
          created_at?: string
          department_id: string
          updated_at?: string
        }
        Update: {
          contact_id?: string
          created_at?: string
          department_id?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "contact_departments_contact_id_fkey"
            columns: ["contact_id"]
            isOneToOne: false
            referencedRelation: "contacts"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "contact_departments_department_id_fkey"
            columns: ["department_id"]
            isOneToOne: false
            referencedRelation: "departments"
            referencedColumns: ["id"]
          },
        ]
      }
      contacts: {
        Row: {
          created_at: string
          department_id: string | null
          email: string | null
          id: string
          name: string
          notes: string | null
          phone: string | null
          position: string | null
          status: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          department_id?: string | null
          email?: string | null
          id?: string
          name: string
          notes?: string | null
          phone?: string | null
          position?: string | null
          status?: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          department_id?: string | null
          email?: string | null
          id?: string
          name?: string
          notes?: string | null
          phone?: string | null
          position?: string | null
          status?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "contacts_department_id_fkey"
            columns: ["department_id"]
            isOneToOne: false
            referencedRelation: "departments"
            referencedColumns: ["id"]
          },
        ]
      }
      departments: {
        Row: {
          created_at: string
          id: string
          name: string
          notes: string | null
          school_id: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          id?: string
          name: string
          notes?: string | null
          school_id: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          id?: string
          name?: string
          notes?: string | null
          school_id?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "departments_school_id_fkey"
            columns: ["school_id"]
            isOneToOne: false
            referencedRelation: "schools"
            referencedColumns: ["id"]
          },
        ]
      }
      entry_links: {
        Row: {
          award: string
          corrected_at: string | null
          created_at: string
          entry: string
          expires_at: string | null
          id: string
          revoked_at: string | null
          revoked_by: string | null
          token_hash: string
        }
        ComputedFields: never
        Insert: {
          award: string
          corrected_at?: string | null
          created_at?: string
          entry: string
          expires_at?: string | null
          id?: string
          revoked_at?: string | null
          revoked_by?: string | null
          token_hash: string
        }
        Update: {
          award?: string
          corrected_at?: string | null
          created_at?: string
          entry?: string
          expires_at?: string | null
          id?: string
          revoked_at?: string | null
          revoked_by?: string | null
          token_hash?: string
        }
        Relationships: []
      }
      entry_mails: {
        Row: {
          award: string
          created_at: string
          entry: string
          id: string
          sent_by: string | null
          state: string
        }
        ComputedFields: never
        Insert: {
          award: string
          created_at?: string
          entry: string
          id?: string
          sent_by?: string | null
          state: string
        }
        Update: {
          award?: string
          created_at?: string
          entry?: string
          id?: string
          sent_by?: string | null
          state?: string
        }
        Relationships: []
      }
      event_checklist_items: {
        Row: {
          category: string | null
          created_at: string
          due_date: string | null
          id: string
          is_completed: boolean
          item_name: string
          notes: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          category?: string | null
          created_at?: string
          due_date?: string | null
          id?: string
          is_completed?: boolean
          item_name: string
          notes?: string | null
          updated_at?: string
        }
        Update: {
          category?: string | null
          created_at?: string
          due_date?: string | null
          id?: string
          is_completed?: boolean
          item_name?: string
          notes?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      extra_files: {
        Row: {
          additional_info: string | null
          created_at: string
          entrant_name: string
          id: string
          kind: string
          organisation: string | null
          submission_key: string
          updated_at: string
          uploaded_files: string[]
        }
        ComputedFields: never
        Insert: {
          additional_info?: string | null
          created_at?: string
          entrant_name: string
          id?: string
          kind: string
          organisation?: string | null
          submission_key?: string
          updated_at?: string
          uploaded_files: string[]
        }
        Update: {
          additional_info?: string | null
          created_at?: string
          entrant_name?: string
          id?: string
          kind?: string
          organisation?: string | null
          submission_key?: string
          updated_at?: string
          uploaded_files?: string[]
        }
        Relationships: []
      }
      guest_letters: {
        Row: {
          email: string
          guest_id: string | null
          guest_name: string
          id: string
          message: string
          sent_at: string
          sent_by: string | null
          subject: string
        }
        ComputedFields: never
        Insert: {
          email: string
          guest_id?: string | null
          guest_name: string
          id?: string
          message: string
          sent_at?: string
          sent_by?: string | null
          subject: string
        }
        Update: {
          email?: string
          guest_id?: string | null
          guest_name?: string
          id?: string
          message?: string
          sent_at?: string
          sent_by?: string | null
          subject?: string
        }
        Relationships: [
          {
            foreignKeyName: "guest_letters_guest_id_fkey"
            columns: ["guest_id"]
            isOneToOne: false
            referencedRelation: "invited_guests"
            referencedColumns: ["id"]
          },
        ]
      }
      interactions: {
        Row: {
          contact_id: string
          created_at: string
          created_by: string | null
          happened_at: string
          id: string
          kind: string
          notes: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          contact_id: string
          created_at?: string
          created_by?: string | null
          happened_at?: string
          id?: string
          kind?: string
          notes?: string | null
          updated_at?: string
        }
        Update: {
          contact_id?: string
          created_at?: string
          created_by?: string | null
          happened_at?: string
          id?: string
          kind?: string
          notes?: string | null
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "interactions_contact_id_fkey"
            columns: ["contact_id"]
            isOneToOne: false
            referencedRelation: "contacts"
            referencedColumns: ["id"]
          },
        ]
      }
      invited_guests: {
        Row: {
          created_at: string
          email: string | null
          id: string
          name: string
          notes: string | null
          organization: string | null
          phone: string | null
          status: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          email?: string | null
          id?: string
          name: string
          notes?: string | null
          organization?: string | null
          phone?: string | null
          status?: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string | null
          id?: string
          name?: string
          notes?: string | null
          organization?: string | null
          phone?: string | null
          status?: string
          updated_at?: string
        }
        Relationships: []
      }
      judge_categories: {
        Row: {
          category: string
          created_at: string
          judge_id: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          category: string
          created_at?: string
          judge_id: string
          updated_at?: string
        }
        Update: {
          category?: string
          created_at?: string
          judge_id?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "judge_categories_judge_id_fkey"
            columns: ["judge_id"]
            isOneToOne: false
            referencedRelation: "judges"
            referencedColumns: ["id"]
          },
        ]
      }
      judges: {
        Row: {
          created_at: string
          email: string | null
          id: string
          name: string
          notes: string | null
          phone: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          email?: string | null
          id?: string
          name: string
          notes?: string | null
          phone?: string | null
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string | null
          id?: string
          name?: string
          notes?: string | null
          phone?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      judging_criteria: {
        Row: {
          award: string
          created_at: string
          id: string
          maximum: number
          name: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          award: string
          created_at?: string
          id?: string
          maximum?: number
          name: string
          updated_at?: string
        }
        Update: {
          award?: string
          created_at?: string
          id?: string
          maximum?: number
          name?: string
          updated_at?: string
        }
        Relationships: []
      }
      late_links: {
        Row: {
          award: string
          created_at: string
          created_by: string | null
          entrant: string
          entry: string | null
          expires_at: string
          id: string
          revoked_at: string | null
          revoked_by: string | null
          token_hash: string
          used_at: string | null
        }
        ComputedFields: never
        Insert: {
          award: string
          created_at?: string
          created_by?: string | null
          entrant: string
          entry?: string | null
          expires_at: string
          id?: string
          revoked_at?: string | null
          revoked_by?: string | null
          token_hash: string
          used_at?: string | null
        }
        Update: {
          award?: string
          created_at?: string
          created_by?: string | null
          entrant?: string
          entry?: string | null
          expires_at?: string
          id?: string
          revoked_at?: string | null
          revoked_by?: string | null
          token_hash?: string
          used_at?: string | null
        }
        Relationships: []
      }
      mail_templates: {
        Row: {
          body: string
          created_at: string
          id: string
          state: string
          subject: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          body: string
          created_at?: string
          id?: string
          state: string
          subject: string
          updated_at?: string
        }
        Update: {
          body?: string
          created_at?: string
          id?: string
          state?: string
          subject?: string
          updated_at?: string
        }
        Relationships: []
      }
      offline_submissions: {
        Row: {
          category: string
          count: number
          created_at: string
          id: string
          notes: string | null
          school_id: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          category: string
          count: number
          created_at?: string
          id?: string
          notes?: string | null
          school_id: string
          updated_at?: string
        }
        Update: {
          category?: string
          count?: number
          created_at?: string
          id?: string
          notes?: string | null
          school_id?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "offline_submissions_school_id_fkey"
            columns: ["school_id"]
            isOneToOne: false
            referencedRelation: "schools"
            referencedColumns: ["id"]
          },
        ]
      }
      reminders: {
        Row: {
          audience: string
          created_at: string
          id: string
          mails: number
          sent_by: string | null
        }
        ComputedFields: never
        Insert: {
          audience: string
          created_at?: string
          id?: string
          mails: number
          sent_by?: string | null
        }
        Update: {
          audience?: string
          created_at?: string
          id?: string
          mails?: number
          sent_by?: string | null
        }
        Relationships: []
      }
      schools: {
        Row: {
          created_at: string
          email: string | null
          id: string
          location: string | null
          name: string
          notes: string | null
          phone: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          email?: string | null
          id?: string
          location?: string | null
          name: string
          notes?: string | null
          phone?: string | null
          updated_at?: string
        }
        Update: {
          created_at?: string
          email?: string | null
          id?: string
          location?: string | null
          name?: string
          notes?: string | null
          phone?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      season_totals: {
        Row: {
          award: string
          category: string
          created_at: string
          entries: number
          id: string
          season: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          award: string
          category: string
          created_at?: string
          entries: number
          id?: string
          season: string
          updated_at?: string
        }
        Update: {
          award?: string
          category?: string
          created_at?: string
          entries?: number
          id?: string
          season?: string
          updated_at?: string
        }
        Relationships: []
      }
      seasons: {
        Row: {
          ages_on: string | null
          closes_at: string | null
          created_at: string
          deadline_on: string | null
          deleted_at: string | null
          due_on: string
          ends_at: string
          event_on: string
          event_time: string | null
          id: string
          name: string
          opens_at: string | null
          opens_on: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          ages_on?: string | null
          closes_at?: never
          created_at?: string
          deadline_on?: string | null
          deleted_at?: string | null
          due_on?: never
          ends_at?: never
          event_on: string
          event_time?: string | null
          id?: string
          name: string
          opens_at?: never
          opens_on?: string | null
          updated_at?: string
        }
        Update: {
          ages_on?: string | null
          closes_at?: never
          created_at?: string
          deadline_on?: string | null
          deleted_at?: string | null
          due_on?: never
          ends_at?: never
          event_on?: string
          event_time?: string | null
          id?: string
          name?: string
          opens_at?: never
          opens_on?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      site_chapters: {
        Row: {
          created_at: string
          id: string
          position: number
          text: string
          title: string
          updated_at: string
          years: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          id?: string
          position?: number
          text: string
          title: string
          updated_at?: string
          years: string
        }
        Update: {
          created_at?: string
          id?: string
          position?: number
          text?: string
          title?: string
          updated_at?: string
          years?: string
        }
        Relationships: []
      }
      site_corporate: {
        Row: {
          created_at: string
          id: string
          name: string | null
          part: string
          picture: string
          position: number
          text: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          id?: string
          name?: string | null
          part: string
          picture?: string
          position?: number
          text: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          id?: string
          name?: string | null
          part?: string
          picture?: string
          position?: number
          text?: string
          updated_at?: string
        }
        Relationships: []
      }
      site_events: {
        Row: {
          board_large: string
          board_small: string
          created_at: string
          date_text: string
          description: string
          id: string
          is_ceremony: boolean
          is_featured: boolean
          is_on_home: boolean
          kind: string
          last_day: string | null
          location: string
          long_description: string | null
          picture: string | null
          picture_alt: string | null
          position: number
          rsvp_subject: string | null
          slug: string
          time_text: string
          title: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          board_large: string
          board_small: string
          created_at?: string
          date_text: string
          description: string
          id?: string
          is_ceremony?: boolean
          is_featured?: boolean
          is_on_home?: boolean
          kind: string
          last_day?: string | null
          location: string
          long_description?: string | null
          picture?: string | null
          picture_alt?: string | null
          position?: number
          rsvp_subject?: string | null
          slug: string
          time_text: string
          title: string
          updated_at?: string
        }
        Update: {
          board_large?: string
          board_small?: string
          created_at?: string
          date_text?: string
          description?: string
          id?: string
          is_ceremony?: boolean
          is_featured?: boolean
          is_on_home?: boolean
          kind?: string
          last_day?: string | null
          location?: string
          long_description?: string | null
          picture?: string | null
          picture_alt?: string | null
          position?: number
          rsvp_subject?: string | null
          slug?: string
          time_text?: string
          title?: string
          updated_at?: string
        }
        Relationships: []
      }
      site_figures: {
        Row: {
          created_at: string
          figure: string
          id: string
          page: string
          position: number
          text: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          figure: string
          id?: string
          page: string
          position?: number
          text: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          figure?: string
          id?: string
          page?: string
          position?: number
          text?: string
          updated_at?: string
        }
        Relationships: []
      }
      site_partners: {
        Row: {
          created_at: string
          id: string
          name: string
          position: number
          text: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          id?: string
          name: string
          position?: number
          text: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          id?: string
          name?: string
          position?: number
          text?: string
          updated_at?: string
        }
        Relationships: []
      }
      site_publications: {
        Row: {
          content: NonNullable<Json>
          created_at: string
          id: string
          published_by: string | null
          shown_as_of: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          content: NonNullable<Json>
          created_at?: string
          id?: string
          published_by?: string | null
          shown_as_of?: string | null
          updated_at?: string
        }
        Update: {
          content?: NonNullable<Json>
          created_at?: string
          id?: string
          published_by?: string | null
          shown_as_of?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      site_results: {
        Row: {
          award: string
          created_at: string
          entry: string
          id: string
          kind: string
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          award: string
          created_at?: string
          entry: string
          id?: string
          kind?: string
          updated_at?: string
        }
        Update: {
          award?: string
          created_at?: string
          entry?: string
          id?: string
          kind?: string
          updated_at?: string
        }
        Relationships: []
      }
      site_speakers: {
        Row: {
          created_at: string
          held_on: string
          id: string
          notes: string | null
          speaker: string | null
          updated_at: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          held_on: string
          id?: string
          notes?: string | null
          speaker?: string | null
          updated_at?: string
        }
        Update: {
          created_at?: string
          held_on?: string
          id?: string
          notes?: string | null
          speaker?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      site_texts: {
        Row: {
          created_at: string
          id: string
          label: string
          name: string
          position: number
          updated_at: string
          value: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          id?: string
          label: string
          name: string
          position: number
          updated_at?: string
          value: string
        }
        Update: {
          created_at?: string
          id?: string
          label?: string
          name?: string
          position?: number
          updated_at?: string
          value?: string
        }
        Relationships: []
      }
      site_winners: {
        Row: {
          award: string
          created_at: string
          id: string
          text: string
          updated_at: string
          year: number
        }
        ComputedFields: never
        Insert: {
          award: string
          created_at?: string
          id?: string
          text: string
          updated_at?: string
          year: number
        }
        Update: {
          award?: string
          created_at?: string
          id?: string
          text?: string
          updated_at?: string
          year?: number
        }
        Relationships: []
      }
      user_roles: {
        Row: {
          created_at: string
          id: string
          role: Database["public"]["Enums"]["app_role"]
          updated_at: string
          user_id: string
        }
        ComputedFields: never
        Insert: {
          created_at?: string
          id?: string
          role: Database["public"]["Enums"]["app_role"]
          updated_at?: string
          user_id: string
        }
        Update: {
          created_at?: string
          id?: string
          role?: Database["public"]["Enums"]["app_role"]
          updated_at?: string
          user_id?: string
        }
        Relationships: []
      }
      young_artist_entries: {
        Row: {
          age: number
          artwork_description: string | null
          artwork_title: string | null
          category: string
          created_at: string
          email: string | null
          entrant_name: string
          id: string
          inspiration: string | null
          junior_ranking: number | null
          medium: string | null
          nominee_name: string | null
          parent_guardian_email: string
          parent_guardian_name: string | null
          parent_guardian_phone: string | null
          phone: string | null
          preferred_pronoun: string | null
          publicity_consent: string | null
          ranking_conflict: boolean
          school: string | null
          school_id: string | null
          senior_ranking: number | null
          submission_key: string
          teacher_email: string | null
          teacher_name: string | null
          teacher_phone: string | null
          updated_at: string
          uploaded_files: string[] | null
          withdrawn_at: string | null
        }
        ComputedFields: never
        Insert: {
          age: number
          artwork_description?: string | null
          artwork_title?: string | null
          category: string
          created_at?: string
          email?: string | null
          entrant_name: string
          id?: string
          inspiration?: string | null
          junior_ranking?: number | null
          medium?: string | null
          nominee_name?: string | null
          parent_guardian_email: string
          parent_guardian_name?: string | null
          parent_guardian_phone?: string | null
          phone?: string | null
          preferred_pronoun?: string | null
          publicity_consent?: string | null
          ranking_conflict?: boolean
          school?: string | null
          school_id?: string | null
          senior_ranking?: number | null
          submission_key?: string
          teacher_email?: string | null
          teacher_name?: string | null
          teacher_phone?: string | null
          updated_at?: string
          uploaded_files?: string[] | null
          withdrawn_at?: string | null
        }
        Update: {
          age?: number
          artwork_description?: string | null
          artwork_title?: string | null
          category?: string
          created_at?: string
          email?: string | null
          entrant_name?: string
          id?: string
          inspiration?: string | null
          junior_ranking?: number | null
          medium?: string | null
          nominee_name?: string | null
          parent_guardian_email?: string
          parent_guardian_name?: string | null
          parent_guardian_phone?: string | null
          phone?: string | null
          preferred_pronoun?: string | null
          publicity_consent?: string | null
          ranking_conflict?: boolean
          school?: string | null
          school_id?: string | null
          senior_ranking?: number | null
          submission_key?: string
          teacher_email?: string | null
          teacher_name?: string | null
          teacher_phone?: string | null
          updated_at?: string
          uploaded_files?: string[] | null
          withdrawn_at?: string | null
        }
        Relationships: [
          {
            foreignKeyName: "young_artist_entries_school_id_fkey"
            columns: ["school_id"]
            isOneToOne: false
            referencedRelation: "schools"
            referencedColumns: ["id"]
          },
        ]
      }
      young_citizen_nominations: {
        Row: {
          community_impact: string | null
          created_at: string
          id: string
          key_achievement: string
          nomination_type: string
          nominator_email: string
          nominator_name: string
          nominator_phone: string | null
          nominator_relationship: string | null
          nominee_age: number
          nominee_email: string | null
          nominee_name: string
          nominee_phone: string | null
          parent_guardian_email: string
          parent_guardian_phone: string | null
          place: number | null
          publicity_consent: string | null
          school_id: string | null
          submission_key: string
          updated_at: string
          uploaded_files: string[] | null
          why_deserving: string
          withdrawn_at: string | null
        }
        ComputedFields: never
        Insert: {
          community_impact?: string | null
          created_at?: string
          id?: string
          key_achievement: string
          nomination_type: string
          nominator_email: string
          nominator_name: string
          nominator_phone?: string | null
          nominator_relationship?: string | null
          nominee_age: number
          nominee_email?: string | null
          nominee_name: string
          nominee_phone?: string | null
          parent_guardian_email: string
          parent_guardian_phone?: string | null
          place?: number | null
          publicity_consent?: string | null
          school_id?: string | null
          submission_key?: string
          updated_at?: string
          uploaded_files?: string[] | null
          why_deserving: string
          withdrawn_at?: string | null
        }
        Update: {
          community_impact?: string | null
          created_at?: string
          id?: string
          key_achievement?: string
          nomination_type?: string
          nominator_email?: string
          nominator_name?: string
          nominator_phone?: string | null
          nominator_relationship?: string | null
          nominee_age?: number
          nominee_email?: string | null
          nominee_name?: string
          nominee_phone?: string | null
          parent_guardian_email?: string
          parent_guardian_phone?: string | null
          place?: number | null
          publicity_consent?: string | null
          school_id?: string | null
          submission_key?: string
          updated_at?: string
          uploaded_files?: string[] | null
          why_deserving?: string
          withdrawn_at?: string | null
        }
        Relationships: [
          {
            foreignKeyName: "young_citizen_nominations_school_id_fkey"
            columns: ["school_id"]
            isOneToOne: false
            referencedRelation: "schools"
            referencedColumns: ["id"]
          },
        ]
      }
      young_musician_entries: {
        Row: {
          accompanist_name: string | null
          accompanist_required: boolean
          age: number
          category: string
          composer: string | null
          created_at: string
          email: string | null
          entrant_name: string
          id: string
          instrument: string | null
          music_selections: string[] | null
          parent_guardian_email: string
          parent_guardian_name: string | null
          parent_guardian_phone: string | null
          phone: string | null
          piece_duration: string | null
          piece_title: string | null
          place: number | null
          publicity_consent: string | null
          school: string | null
          school_id: string | null
          signature: string | null
          special_requirements: string | null
          submission_key: string
          teacher_email: string | null
          teacher_name: string | null
          teacher_phone: string | null
          teacher_position: string | null
          updated_at: string
          uploaded_files: string[] | null
          withdrawn_at: string | null
        }
        ComputedFields: never
        Insert: {
          accompanist_name?: string | null
          accompanist_required?: boolean
          age: number
          category: string
          composer?: string | null
          created_at?: string
          email?: string | null
          entrant_name: string
          id?: string
          instrument?: string | null
          music_selections?: string[] | null
          parent_guardian_email: string
          parent_guardian_name?: string | null
          parent_guardian_phone?: string | null
          phone?: string | null
          piece_duration?: string | null
          piece_title?: string | null
          place?: number | null
          publicity_consent?: string | null
          school?: string | null
          school_id?: string | null
          signature?: string | null
          special_requirements?: string | null
          submission_key?: string
          teacher_email?: string | null
          teacher_name?: string | null
          teacher_phone?: string | null
          teacher_position?: string | null
          updated_at?: string
          uploaded_files?: string[] | null
          withdrawn_at?: string | null
        }
        Update: {
          accompanist_name?: string | null
          accompanist_required?: boolean
          age?: number
          category?: string
          composer?: string | null
          created_at?: string
          email?: string | null
          entrant_name?: string
          id?: string
          instrument?: string | null
          music_selections?: string[] | null
          parent_guardian_email?: string
          parent_guardian_name?: string | null
          parent_guardian_phone?: string | null
          phone?: string | null
          piece_duration?: string | null
          piece_title?: string | null
          place?: number | null
          publicity_consent?: string | null
          school?: string | null
          school_id?: string | null
          signature?: string | null
          special_requirements?: string | null
          submission_key?: string
          teacher_email?: string | null
          teacher_name?: string | null
          teacher_phone?: string | null
          teacher_position?: string | null
          updated_at?: string
          uploaded_files?: string[] | null
          withdrawn_at?: string | null
        }
        Relationships: [
          {
            foreignKeyName: "young_musician_entries_school_id_fkey"
            columns: ["school_id"]
            isOneToOne: false
            referencedRelation: "schools"
            referencedColumns: ["id"]
          },
        ]
      }
      young_photographer_entries: {
        Row: {
          age: number
          auxiliary_lens_used: string | null
          camera_equipment: string | null
          category: string
          created_at: string
          email: string | null
          entrant_name: string
          id: string
          image_edited: string | null
          junior_ranking: number | null
          location_taken: string | null
          parent_guardian_email: string
          parent_guardian_name: string | null
          parent_guardian_phone: string | null
          phone: string | null
          photo_description: string | null
          photo_title: string | null
          preferred_pronoun: string | null
          publicity_consent: string | null
          ranking_conflict: boolean
          school: string | null
          school_id: string | null
          senior_ranking: number | null
          submission_key: string
          teacher_email: string | null
          teacher_name: string | null
          teacher_phone: string | null
          updated_at: string
          uploaded_files: string[] | null
          withdrawn_at: string | null
        }
        ComputedFields: never
        Insert: {
          age: number
          auxiliary_lens_used?: string | null
          camera_equipment?: string | null
          category: string
          created_at?: string
          email?: string | null
          entrant_name: string
          id?: string
          image_edited?: string | null
          junior_ranking?: number | null
          location_taken?: string | null
          parent_guardian_email: string
          parent_guardian_name?: string | null
          parent_guardian_phone?: string | null
          phone?: string | null
          photo_description?: string | null
          photo_title?: string | null
          preferred_pronoun?: string | null
          publicity_consent?: string | null
          ranking_conflict?: boolean
          school?: string | null
          school_id?: string | null
          senior_ranking?: number | null
          submission_key?: string
          teacher_email?: string | null
          teacher_name?: string | null
          teacher_phone?: string | null
          updated_at?: string
          uploaded_files?: string[] | null
          withdrawn_at?: string | null
        }
        Update: {
          age?: number
          auxiliary_lens_used?: string | null
          camera_equipment?: string | null
          category?: string
          created_at?: string
          email?: string | null
          entrant_name?: string
          id?: string
          image_edited?: string | null
          junior_ranking?: number | null
          location_taken?: string | null
          parent_guardian_email?: string
          parent_guardian_name?: string | null
          parent_guardian_phone?: string | null
          phone?: string | null
          photo_description?: string | null
          photo_title?: string | null
          preferred_pronoun?: string | null
          publicity_consent?: string | null
          ranking_conflict?: boolean
          school?: string | null
          school_id?: string | null
          senior_ranking?: number | null
          submission_key?: string
          teacher_email?: string | null
          teacher_name?: string | null
          teacher_phone?: string | null
          updated_at?: string
          uploaded_files?: string[] | null
          withdrawn_at?: string | null
        }
        Relationships: [
          {
            foreignKeyName: "young_photographer_entries_school_id_fkey"
            columns: ["school_id"]
            isOneToOne: false
            referencedRelation: "schools"
            referencedColumns: ["id"]
          },
        ]
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      ask_entry_link: { Args: { address: string }; Returns: undefined }
      assign_school: { Args: { award: string; school: string }; Returns: number }
      award_counts: { Args: Record<PropertyKey, never>; Returns: { award: string; category: string; entries: number; placed: number; offline: number }[] }
      correct_entry: { Args: { answers: Json; files?: string[]; read_at: string; token: string }; Returns: string }
      create_late_link: { Args: { award: string; entrant: string; last_day: string }; Returns: string }
      delete_entry: { Args: { award: string; entry: string }; Returns: number }
      delete_season: { Args: { before: string; season: string }; Returns: number }
      draft_content: { Args: Record<PropertyKey, never>; Returns: Json }
      duplicate_hints: { Args: Record<PropertyKey, never>; Returns: { award: string; kind: string; entries: string[] }[] }
      entries_to_judge: { Args: { award: string; category: string }; Returns: { id: string; entrant: string; age: number; school: string; title: string; facts: Json; files: string[]; recordings: string[]; place: number; known: boolean; scores: Json; created_at: string }[] }
      entry_by_link: { Args: { token: string }; Returns: Json }
      entry_files: { Args: { award: string; entry: string }; Returns: { bucket_id: string; name: string }[] }
      entry_mail: { Args: { award: string; entry: string }; Returns: { kind: string; mails: number }[] }
      finish_judging: { Args: { award: string; category: string; finished: boolean }; Returns: string }
      give_school: { Args: { award: string; entries: string[]; school: string }; Returns: string[] }
      has_role: { Args: { _role: Database["public"]["Enums"]["app_role"]; _user_id: string }; Returns: boolean }
      joint_result: { Args: { award: string; category: string }; Returns: Json }
      judge_links: { Args: Record<PropertyKey, never>; Returns: { judge: string; works: boolean; created_at: string; created_by: string; used_at: string; revoked_at: string; revoked_by: string; sections: number; finished: number }[] }
      late_link: { Args: { token: string }; Returns: { award: string; expires_at: string }[] }
      list_admins: { Args: Record<PropertyKey, never>; Returns: { email: string; user_id: string; is_you: boolean; is_pending: boolean; invited_by: string; since: string; last_sign_in_at: string }[] }
      list_reminders: { Args: { audience: string }; Returns: { recipient: string; address: string; name: string; detail: string; can_be_mailed: boolean; reminded_at: string }[] }
      listed_results: { Args: Record<PropertyKey, never>; Returns: { id: string; award: string; kind: string; name: string; category: string; place: number; title: string; picture: string; updated_at: string; is_published: boolean; corrected_at: string }[] }
      make_judge_link: { Args: { judge: string }; Returns: string }
      match_schools: { Args: Record<PropertyKey, never>; Returns: number }
      merge_contacts: { Args: { keep: string; others: string[] }; Returns: number }
      merge_departments: { Args: { keep: string; others: string[] }; Returns: number }
      merge_entries: { Args: { award: string; keep: string; others: string[] }; Returns: number }
      merge_schools: { Args: { keep: string; others: string[] }; Returns: number }
      own_judging: { Args: Record<PropertyKey, never>; Returns: Json }
      preview_reminder: { Args: { audience: string; recipient: string }; Returns: { address: string; subject: string; body: string }[] }
      preview_state_mail: { Args: { award: string; entry: string; state: string }; Returns: { address: string; subject: string; body: string }[] }
      publish_site: { Args: Record<PropertyKey, never>; Returns: undefined }
      published_content: { Args: Record<PropertyKey, never>; Returns: Json }
      remove_admin: { Args: { admin_email: string }; Returns: undefined }
      revoke_entry_links: { Args: { award: string; entry: string }; Returns: number }
      revoke_judge_link: { Args: { judge: string }; Returns: boolean }
      revoke_late_link: { Args: { link: string }; Returns: boolean }
      save_contact: { Args: { contact?: string; departments: string[]; read_at?: string; record: Json }; Returns: boolean }
      save_judge: { Args: { categories: string[]; judge?: string; read_at?: string; record: Json }; Returns: boolean }
      save_mark: { Args: { change: Json; entry: string }; Returns: undefined }
      season_files: { Args: { before: string }; Returns: { bucket_id: string; name: string }[] }
      season_mail: { Args: { before: string }; Returns: { kind: string; mails: number }[] }
      season_report: { Args: { before: string }; Returns: { award: string; category: string; entries: number; oldest: string; newest: string }[] }
      send_reminders: { Args: { again?: boolean; audience: string; recipients: string[] }; Returns: { recipient: string; outcome: string }[] }
      send_state_mails: { Args: { award: string; entries: string[]; state: string }; Returns: { entry: string; outcome: string }[] }
      settle_places: { Args: { award: string; category: string; places: Json; state: string }; Returns: string }
      site_status: { Args: Record<PropertyKey, never>; Returns: { published_at: string; published_by: string; has_changes: boolean }[] }
      take_results: { Args: { pictures?: boolean; since: string; until: string }; Returns: number }
      take_school_back: { Args: { award: string; entries: string[]; school: string }; Returns: number }
      unlisted_recordings: { Args: Record<PropertyKey, never>; Returns: { name: string; created_at: string }[] }
      unused_pictures: { Args: Record<PropertyKey, never>; Returns: { name: string }[] }
    }
    Enums: {
      app_role: "admin"
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

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

export const Constants = {
  graphql_public: {
    Enums: {},
  },
  public: {
    Enums: {
      app_role: ["admin"],
    },
  },
} as const
