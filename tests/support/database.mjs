/** Statements that tests execute in a project's database. */
import pg from 'pg'

/**
 * Executes a statement in a separate session.
 * @param {string} url URL of the database, with a login
 * @param {string} statement
 * @returns {Promise<Record<string, any>[]>} the rows
 */
export async function query(url, statement) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
