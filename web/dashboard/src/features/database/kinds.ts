/** The kinds of database objects, in the order of the tabs. Each kind has its own page. */
export const kinds = [
  {
    kind: 'functions',
    name: 'Functions',
    title: 'Database functions',
    lede: 'Functions and procedures of a schema. Policies, triggers and RPC call them.',
    hasSchema: true,
  },
  {
    kind: 'triggers',
    name: 'Triggers',
    title: 'Triggers',
    lede: 'Functions that PostgreSQL calls when rows of a table change.',
    hasSchema: true,
  },
  {
    kind: 'webhooks',
    name: 'Webhooks',
    title: 'Database webhooks',
    lede: 'Triggers that send an HTTP request when rows of a table change.',
    hasSchema: true,
  },
  {
    kind: 'indexes',
    name: 'Indexes',
    title: 'Indexes',
    lede: 'Indexes of a schema: their size, and how often queries used them since the statistics were reset.',
    hasSchema: true,
  },
  { kind: 'enums', name: 'Enums', title: 'Enums', lede: 'Types with a fixed list of values.', hasSchema: true },
  {
    kind: 'extensions',
    name: 'Extensions',
    title: 'Extensions',
    lede: 'Extensions of PostgreSQL that this server has.',
    hasSchema: false,
  },
  {
    kind: 'roles',
    name: 'Roles',
    title: 'Database roles',
    lede: 'Roles of PostgreSQL with their attributes and memberships. The roles of the platform cannot be changed here.',
    hasSchema: false,
  },
  {
    kind: 'publications',
    name: 'Publications',
    title: 'Publications',
    lede: 'The tables whose changes are sent. Realtime follows supabase_realtime.',
    hasSchema: false,
  },
] as const

export type KindName = (typeof kinds)[number]['kind']
