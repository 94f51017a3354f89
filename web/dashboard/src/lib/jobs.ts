export interface Run {
  id?: number
  status: string
  started_at: string
  ended_at?: string | null
  message?: string | null
}

export interface Job {
  id: number
  name?: string | null
  schedule: string
  /** Null for viewers, who may not read it. */
  command: string | null
  database: string
  username: string
  active: boolean
  last_run?: Run | null
  next_run_at?: string | null
}

export interface Queue {
  name: string
  created_at: string
  length: number
  visible: number
  oldest_seconds?: number | null
  newest_seconds?: number | null
  archived: number
}

export interface QueueMessage {
  id: number
  enqueued_at: string
  visible_at: string
  reads: number
  message: unknown
}
