/** What a provider's answer to a cancellation proves: of work that may go on nobody says that it was stopped. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Provider, PROVIDERS } from "@safelight/channel-http"
import type { CancelOutcome, Json } from "@safelight/core"
import { toReply } from "./provider-world.ts"

const { ark, comfyRouter, fal, higgsfield, replicate, safelight } = PROVIDERS

type Answer = readonly [status: number, json: Json]

/** The provider, what it answers in turn, and what that proves. */
const CASES: readonly (readonly [Provider, readonly Answer[], CancelOutcome])[] = [
  [fal, [[202, { status: "CANCELLATION_REQUESTED" }]], "unknown"],
  [fal, [[400, { status: "ALREADY_COMPLETED" }]], "too-late"],
  [fal, [[404, { status: "NOT_FOUND" }]], "unknown"],
  [fal, [[503, null]], "unknown"],
  [comfyRouter, [[202, { status: "CANCELLATION_REQUESTED" }]], "unknown"],
  [comfyRouter, [[400, { status: "ALREADY_COMPLETED" }]], "too-late"],
  [higgsfield, [[202, { status: "canceled" }]], "stopped"],
  [higgsfield, [[400, { detail: "Request can not be canceled" }]], "too-late"],
  [higgsfield, [[202, { status: "queued" }]], "unknown"],
  [replicate, [[200, { status: "canceled" }]], "stopped"],
  [replicate, [[200, { status: "aborted" }]], "stopped"],
  [replicate, [[200, { status: "succeeded" }]], "too-late"],
  [replicate, [[200, { status: "processing" }]], "unknown"],
  [replicate, [[500, null]], "unknown"],
  [
    ark,
    [
      [200, { status: "queued" }],
      [200, {}],
    ],
    "stopped",
  ],
  [
    ark,
    [
      [200, { status: "queued" }],
      [409, {}],
    ],
    "too-late",
  ],
  [
    ark,
    [
      [200, { status: "queued" }],
      [500, {}],
    ],
    "unknown",
  ],
  [ark, [[200, { status: "running" }]], "too-late"],
  [ark, [[200, { status: "succeeded" }]], "too-late"],
  [ark, [[200, { status: "cancelled" }]], "stopped"],
  [ark, [[404, {}]], "unknown"],
  [safelight, [toCancellation("cancelled", "failed", 0)], "stopped"],
  [safelight, [toCancellation("stopped", "failed", 0)], "stopped"],
  [safelight, [toCancellation("unknown", "failed", 0)], "stopped"],
  // The next poll tells what was charged.
  [safelight, [toCancellation("stopped", "failed", 40_000)], "too-late"],
  // Nor is it said here why the task had failed by itself.
  [safelight, [toCancellation("too_late", "failed", 0)], "too-late"],
  [safelight, [toCancellation("too_late", "succeeded", 40_000)], "too-late"],
  [safelight, [toCancellation("too_late", "running", null)], "too-late"],
  [safelight, [toCancellation("unknown", "running", null)], "unknown"],
  [safelight, [[404, { error: { code: "route_not_found" } }]], "unknown"],
  [safelight, [[503, { error: { code: "overloaded" } }]], "unknown"],
]

function toCancellation(outcome: string, status: string, charge: number | null): Answer {
  return [200, { outcome, charge_micros: charge, task: { status } }]
}

const HANDLE = { id: "cgt-1", cancel: "/cancel" }

describe("a cancellation", () => {
  for (const [provider, answers, outcome] of CASES) {
    it(`that ${provider.name} answers ${JSON.stringify(answers)} is ${outcome}`, async () => {
      const left = [...answers]
      const proved = await provider.cancel?.(HANDLE, async () => {
        const [status, json] = left.shift() ?? assert.fail("it was asked once more")
        return toReply(status, json)
      })
      assert.equal(proved, outcome)
      assert.deepEqual(left, [], "it was not asked")
    })
  }

  it("of a handle without an address is unknown, and nobody is asked", async () => {
    for (const provider of [fal, comfyRouter, higgsfield, replicate]) {
      const asked = provider.cancel?.({ id: "1", cancel: null }, () => assert.fail("it was asked"))
      // oxlint-disable-next-line no-await-in-loop
      assert.equal(await asked, "unknown")
    }
  })
})
