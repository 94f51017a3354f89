/** Compares the explanations of `why` with PostgreSQL's behaviour. */
import assert from 'node:assert/strict'
import { firstOperator } from './dashboard.mjs'
import { startProject } from './program.mjs'

/**
 * Starts a server.
 * @returns functions for SQL as the owner of the server, for a statement that runs as a caller and is rolled back, for `why`, for a digest of the
 * database, and for stopping the server
 */
export async function started(options) {
  const server = await startProject(options)
  const owner = await firstOperator(server)
  const run = (sql, more) => owner.must('POST', '/sql/run', { sql, read_only: false, ...more })
  const rows = async (sql) => {
    const { results, error } = await run(sql)
    assert.equal(error ?? null, null, `${sql}: ${JSON.stringify(error)}`)
    return results.at(-1).rows
  }
  return {
    url: server.url,
    anonKey: server.anonKey,
    serviceKey: server.serviceKey,
    remove: () => server.remove(),
    rows,
    attempt: async (as, sql) => {
      const { results, error } = await run(sql, { as, rollback: true })
      return { error, count: error ? undefined : Number(results.at(-1).rows[0][0]) }
    },
    why: async (as, method, path, body, more) => (await owner.must('POST', '/why', { as, method, path, ...(body && { body }), ...more })).explanation,
    digest: async () => {
      const tables = await rows(`select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('public', 'auth', 'storage', 'realtime') order by 1`)
      const parts = tables.map(([name]) => `select '${name}', coalesce(md5(string_agg(md5(t.xmin || t::text), '' order by t::text)), '') from ${name} as t`)
      const sequences = `select 'sequences', md5(string_agg(schemaname || sequencename || coalesce(last_value, 0), ',' order by 1)) from pg_sequences where schemaname in ('public', 'auth', 'storage', 'realtime') group by 1`
      const policies = `select 'policies', md5(string_agg(p::text, ',' order by p::text)) from pg_policies as p`
      return rows([...parts, sequences, policies].join(' union all ') + ' order by 1')
    },
  }
}

/** Returns the outcome according to PostgreSQL. If a row violates a constraint or fails in a trigger, privileges and policies have allowed it. */
export function outcomeOf({ error, count }, total) {
  if (error?.code === '42501' || /permission denied|row-level security/.test(error?.message ?? '')) return 'refused'
  if (error) return 'allowed'
  if (total === 0) return 'no_rows'
  return count === 0 ? 'hidden' : count === total ? 'allowed' : 'partly'
}
