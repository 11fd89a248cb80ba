/**
 * The artifacts of a task by its events as its account may see them, such as those of a proof. What only the operator
 * may know is not in them: placeholders stand for it, so that the events are opened as strictly as any other.
 */
import {
  openParsedEvent,
  parseJson,
  type Json,
  type ShownEvent,
  type TaskEvent,
} from "@safelight/core"

/** No storage's, and a name that no download has. */
const NO_LOCATOR = "-"

const NO_SALT = "0".repeat(22)

/**
 * The events that name artifacts, and those that say how long they are kept. Throws as `openParsedEvent` does if one
 * can't be read.
 */
export function openShownManifest(
  task: string,
  events: readonly Omit<ShownEvent, "hash" | "task">[],
): readonly TaskEvent[] {
  return events
    .filter(({ type }) => type === "succeeded" || type === "held")
    .map(({ at, data, schema, sealed: digest, type, version }) => {
      const parsed = parseJson(data)
      const sealed = digest === undefined ? undefined : toPlaceholders(parsed)
      const text = sealed === undefined ? null : JSON.stringify(sealed)
      const stored = { at, data, hash: "", schema, sealed: text, task, type, version }
      return openParsedEvent(stored, parsed, sealed)
    })
}

function toPlaceholders(data: Json | undefined): Json {
  const { artifacts } = Object(data) as { readonly artifacts?: unknown }
  const count = Array.isArray(artifacts) ? artifacts.length : 0
  const locators = Array.from({ length: count }, () => NO_LOCATOR)
  return { cost: "none", locators, salt: NO_SALT }
}
