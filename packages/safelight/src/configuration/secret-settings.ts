/** Secrets of a configuration that no setting of ours holds: the variables are those of other tools. */
import type { BucketCredentials } from "./configuration.ts"
import type { Environment } from "./secret-files.ts"

/** An empty variable counts as unset: compose files leave one out that way. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const text = environment[name]
  return text === "" ? undefined : text
}

/** Undefined without both: then the bucket's client looks for a role once the bucket is opened. */
export function readCredentials(environment: Environment): BucketCredentials | undefined {
  const accessKeyId = readVariable(environment, "AWS_ACCESS_KEY_ID")
  const secretAccessKey = readVariable(environment, "AWS_SECRET_ACCESS_KEY")
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  const sessionToken = readVariable(environment, "AWS_SESSION_TOKEN")
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

/** The URL with PGPASSWORD if it has none: the database's client knows that variable, and no file in its place. */
export function withPassword(database: string, environment: Environment): string {
  const url = new URL(database)
  if (url.password !== "" || url.searchParams.has("password")) return database
  const password = readVariable(environment, "PGPASSWORD")
  if (password === undefined) return database
  url.searchParams.set("password", password)
  return url.href
}
