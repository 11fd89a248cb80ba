/** Whether a task's events are shown as they were signed: a service could prove some and show others. */
import type { ProvenTask, TaskEvent } from "@safelight/client"

/**
 * The version of the first event that is shown otherwise than it is proved; undefined if there is none. The last ones may
 * be missing from either list: both are read while the task goes on.
 */
export function findDifference(
  shown: readonly TaskEvent[],
  proven: ProvenTask["events"],
): number | undefined {
  return proven.slice(0, shown.length).find((event, place) => !isSame(shown[place], event))?.version
}

/** Its place, its moment, what happened, and what is charged for it. */
function isSame(
  shown: TaskEvent | undefined,
  { at, data, type, version }: ProvenTask["events"][number],
): boolean {
  const isEvent = shown?.version === version && shown.type === type && shown.at_ms === at
  if (!isEvent || shown.charge_micros === undefined) return isEvent
  return readCharge(data) === shown.charge_micros
}

/** Undefined if the log says nothing of a charge, or is no JSON: its operator may sign anything. */
function readCharge(data: string): unknown {
  try {
    return (JSON.parse(data) as { readonly chargeMicros?: unknown } | null)?.chargeMicros
  } catch {
    return undefined
  }
}
