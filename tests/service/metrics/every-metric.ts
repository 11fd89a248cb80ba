/** The metrics of a service in which everything has happened, failures too: their names and labels are all that there are. */
import assert from "node:assert/strict"
import { SafelightError, SILENT_LOG, type ArtifactStorage } from "@safelight/core"
import {
  createManualClock,
  createMemoryArtifacts,
  createMemoryStorage,
  createScriptedChannel,
  submitSample,
} from "@safelight/testkit"
import { createMetrics } from "safelight"
import { FACTS } from "../../support/lease-facts.ts"
import { parsePrometheusText, type Family } from "./prometheus-text.ts"

/** What /metrics tells once everything has happened that is counted: every metric of ours has a series. */
export async function readEveryMetric(): Promise<readonly Family[]> {
  const metrics = createMetrics({ clock: createManualClock() })
  const memory = createMemoryStorage()
  const storage = metrics.observeStorage(memory)
  const { append } = submitSample({ id: "task-1" })
  await storage.append(append)
  await storage.openTree()
  await storage.keepCheckpoint({ at: 0, note: "", size: 0 })
  metrics.onSigningFailure({ step: "copy", code: "storage-unavailable" })
  const facts = { ...FACTS, channels: ["scripted"], leftAlone: ["scripted"] }
  await storage.heartbeat({ lease: "lease-1", heartbeats: 1, facts })
  memory.failAppends(1)
  await assert.rejects(storage.append(append))
  const failing: ArtifactStorage["remove"] = () =>
    Promise.reject(new SafelightError({ code: "aborted", message: "away" }))
  const artifacts = metrics.observeArtifacts({ ...createMemoryArtifacts(), remove: failing })
  await assert.rejects(artifacts.remove("locator"))
  const channel = metrics.observeChannel(createScriptedChannel({ submits: [] }))
  await assert.rejects(channel.submit({} as Parameters<typeof channel.submit>[0]))
  metrics.observeLog(SILENT_LOG).warn({}, "removal held back")
  metrics.onRead("replica")
  metrics.onCommit({ changes: 1, durationMs: 1 })
  metrics.onAnswered({
    requestId: "1",
    method: "GET",
    route: "/v1/tasks",
    status: 200,
    durationMs: 1,
    sentBytes: 1,
    isComplete: true,
    account: undefined,
    keyId: undefined,
    task: undefined,
  })
  return [...parsePrometheusText((await metrics.scrape()).text).values()]
}

/** Without the bounds of buckets. */
export function listLabels({ samples }: Pick<Family, "samples">): readonly string[] {
  const names = new Set(samples.flatMap(({ labels }) => Object.keys(labels)))
  names.delete("le")
  return [...names].toSorted()
}
