/**
 * The channels that stand for a provider in tests keep to the contract like any other: what an engine
 * does over them it may do over a provider. Each is the same channel for all processes, since what they
 * share is the provider behind it.
 */
import type { Channel, Submission } from "@safelight/core"
import { createScriptedChannel, describeChannel } from "@safelight/testkit"
import { createActivity } from "../faults/activity.ts"
import { OWN } from "../faults/models.ts"
import { createUpstreamChannel } from "../faults/upstream-channel.ts"
import { createSteadyScript } from "../faults/upstream-script.ts"
import { startUpstream } from "../faults/upstream-server.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { createUpstream } from "../support/upstream.ts"

const SUBMISSIONS: readonly Submission[] = [
  { kind: "keyed", keyTtlMs: 3_600_000 },
  { kind: "lookup", longestRequestMs: 1_000 },
  { kind: "unkeyed" },
]
const MODEL = "model-a"
const OUTPUT = {
  mimeType: "image/png",
  async *open() {
    yield Buffer.from("what was made")
  },
}

for (const submission of SUBMISSIONS) {
  const { kind } = submission

  describeChannel(
    `a scripted channel, ${kind}`,
    async () => {
      const channel = createScriptedChannel({
        models: [MODEL],
        submission,
        cancelOutcome: "unknown",
        submits: Array.from({ length: 9 }, () => ({ upstreamKey }) => ({
          kind: "accepted",
          operation: { of: upstreamKey },
        })),
        polls: Array.from({ length: 9 }, () => ({ kind: "completed", outputs: [OUTPUT] })),
      })
      return {
        channel,
        reopen: () => channel,
        countPurchases: () => channel.created.length,
        cleanUp: async () => {},
      }
    },
    { parameters: { [MODEL]: { prompt: "fog" } } },
  )

  describeChannel(`an upstream of files, ${kind}`, async () => {
    const folder = await createTemporaryFolder()
    const open = () => createUpstream({ folder: folder.path, kind })
    const { channel, countBought } = open()
    return {
      channel,
      reopen: () => open().channel,
      countPurchases: () => countBought(""),
      cleanUp: async () => folder[Symbol.asyncDispose](),
    }
  })

  const own = { [OWN]: { prompt: "fog", pieces: 2 } }
  const ofFaults = async () => {
    const upstream = await startUpstream(createSteadyScript(0), createActivity())
    const open = (node: string): Channel =>
      createUpstreamChannel({ origin: upstream.origin, kind, concurrency: 8, node })
    return {
      channel: open("node-1"),
      reopen: () => open("node-2"),
      cutOff: async () => upstream.goAway("cutting"),
      countPurchases: () => upstream.creations.list().length,
      cleanUp: async () => upstream[Symbol.asyncDispose](),
    }
  }
  describeChannel(`an upstream of fault runs, ${kind}`, ofFaults, { parameters: own })
}
