/** Which schema a database has, by a transaction that can only read. */
import { readSchemaState, type SchemaState } from "@safelight/store"
import { withClient } from "./client.ts"
import { DEFAULTS } from "./defaults.ts"
import { toKysely, type MigrateOptions } from "./migrate-database.ts"
import { parseGivenSettings } from "./server-address.ts"
import { toSettingStatement } from "./session-settings.ts"

const SETTINGS = { timezone: "UTC" }

/** Rejects with `invalid-configuration` or `schema-too-new` where this code may not use it, and as connecting does. */
export async function readSchema({
  keeping,
  url,
}: Pick<MigrateOptions, "keeping" | "url">): Promise<SchemaState> {
  const options = {
    url,
    settings: keeping.settings ? SETTINGS : undefined,
    application_name: "safelight schema",
    query_timeout: DEFAULTS.replyTimeoutMs,
  }
  return withClient(options, async (client) => {
    const settings = toSettingStatement({ ...parseGivenSettings(url), ...SETTINGS })
    await client.query(`begin read only; ${settings}`)
    return readSchemaState(toKysely(client))
  })
}
