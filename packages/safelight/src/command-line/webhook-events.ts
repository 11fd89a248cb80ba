/** The events of a webhook as they are typed: `task.succeeded,task.failed`. */
import type { WebhookEndpoint } from "@safelight/client"
import { option, type DefinedOption } from "./parameters.ts"

type Events = WebhookEndpoint["events"]

/** The service checks the names. */
function parseEvents(list: string): Events {
  return list.split(",").map((each) => each.trim()) as Events[number][]
}

export function eventsOption(description: string): DefinedOption<Events | undefined> {
  return option<Events>("<list>", description, parseEvents)
}
