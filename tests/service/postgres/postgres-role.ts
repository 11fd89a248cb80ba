/**
 * A role that owns a test's database, with a password that needs escaping in a URL wherever one can
 * need it. What it owns goes with it.
 */
import { randomBytes } from "node:crypto"
import { execute } from "../../support/test-database.ts"

export interface TestRole extends AsyncDisposable {
  /** The database's URL, as this role. */
  readonly url: string
  readonly password: string
  setPassword(password: string): Promise<void>
  /** Ends every session of the role. */
  cut(): Promise<void>
}

export async function createTestRole(database: string): Promise<TestRole> {
  const name = `role_${randomBytes(6).toString("hex")}`
  const password = `p@ss:w/r d?#[%41]é&${randomBytes(6).toString("hex")}`
  const toSql = (text: string): string => `'${text.replaceAll("'", "''")}'`
  await execute(database, `create role ${name} login password ${toSql(password)}`)
  await execute(database, `grant create on schema public to ${name}`)
  const url = new URL(database)
  url.username = name
  url.password = encodeURIComponent(password)
  const cut = async (): Promise<void> => {
    const sessions = `select pid from pg_stat_activity where usename = '${name}'`
    await execute(database, `select pg_terminate_backend(pid) from (${sessions}) as sessions`)
  }
  return {
    url: url.href,
    password,
    async setPassword(changed) {
      await execute(database, `alter role ${name} password ${toSql(changed)}`)
    },
    cut,
    async [Symbol.asyncDispose]() {
      await execute(database, `alter role ${name} nologin`)
      await cut()
      await execute(database, `drop owned by ${name} cascade; drop role ${name}`)
    },
  }
}
