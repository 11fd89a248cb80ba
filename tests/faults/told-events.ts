/** What the log makes of each event for whoever is told of it: the words of streams and webhooks, to the letter. */
import { emptyTask, evolve, isTerminal, openEvent, type StoredEvent } from "@safelight/core"
import { createTaskText } from "@safelight/http"
import { PUBLIC_URL } from "./node-orders.ts"

export interface ToldEvent {
  readonly account: string
  readonly task: string
  readonly version: number
  /** `task.succeeded` and so on. */
  readonly type: string
  readonly text: string
  /** Whether the task has ended by it, or had before. */
  readonly isEnded: boolean
}

/** Every event of every task that there is, in order, by the task's id. */
export type ToldEvents = ReadonlyMap<string, readonly ToldEvent[]>

const toTaskText = createTaskText(() => PUBLIC_URL)

export function toToldEvents(histories: ReadonlyMap<string, readonly StoredEvent[]>): ToldEvents {
  return new Map([...histories].map(([id, events]) => [id, tellTask(id, events)]))
}

function tellTask(id: string, events: readonly StoredEvent[]): readonly ToldEvent[] {
  let task = emptyTask(id)
  return events.map((event) => {
    task = evolve(task, openEvent(event))
    const type = `task.${event.type}`
    const timestamp = new Date(event.at).toISOString()
    const text = `{"type":"${type}","timestamp":"${timestamp}","data":${toTaskText(task)}}`
    const { account, version } = task
    return { account, task: id, version, type, text, isEnded: isTerminal(task) }
  })
}
