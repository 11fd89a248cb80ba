/**
 * A worker: it does the work that other processes of the application have ordered. Start as many as you like, and end
 * them as you like: a task of a worker that dies is continued by another, and nothing is bought twice.
 */
import { openEngine } from "./open-engine.ts"

const SWEEP_EVERY_MS = 60_000

const opened = await openEngine()
const { engine } = opened
engine.start()
// Ends tasks whose time is over, and removes artifacts that have expired. Every process may.
const sweeps = setInterval(() => void engine.sweep().catch(console.error), SWEEP_EVERY_MS)
console.log("working")

async function stop(): Promise<void> {
  clearInterval(sweeps)
  await opened.close()
}
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop())
