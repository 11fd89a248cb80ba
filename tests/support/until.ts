/** Waiting for what only looking tells. A wait for what never comes is ended by the run. */
import { setTimeout as delay } from "node:timers/promises"

/** Resolves once `isSo` holds, looked at every few milliseconds. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- one look after the other
  while (!(await isSo())) await delay(5)
}
