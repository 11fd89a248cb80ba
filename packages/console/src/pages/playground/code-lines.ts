/** The same task as lines to paste elsewhere. The key is never in them: they read it from the environment. */
import type { Values } from "./schema-fields.ts"

export interface Order {
  readonly model: string
  readonly parameters: Values
}

/** Of the reader's own program: the page itself has no environment. */
const KEY = ["process", "env", "SAFELIGHT_KEY"].join(".")

export function toCurl(url: string, { model, parameters }: Order): string {
  const body = JSON.stringify({ model, parameters })
  return [
    `curl ${url}/v1/tasks \\`,
    '  -H "Authorization: Bearer $SAFELIGHT_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    '  -H "Idempotency-Key: $(uuidgen)" \\',
    `  -d ${quote(body)}`,
  ].join("\n")
}

export function toTypeScript(url: string, { model, parameters }: Order): string {
  return [
    'import { createClient } from "@safelight/client"',
    "",
    `const safelight = createClient({ url: ${JSON.stringify(url)}, key: ${KEY} })`,
    `const task = await safelight.run(${JSON.stringify(model)}, ${JSON.stringify(parameters, null, 2)})`,
    "for (const { key } of await task.artifacts()) await task.artifact(key).saveTo(key)",
  ].join("\n")
}

/** Inside single quotes a shell changes nothing; a quote itself has to stand outside of them. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** For reading: megabytes of a file would hide the rest. */
export function shorten(code: string): string {
  return code.replaceAll(/(data:[\w./+-]+;base64,[\w+/]{24})[\w+/=]+/g, "$1…")
}
