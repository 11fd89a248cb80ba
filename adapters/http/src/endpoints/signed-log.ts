/**
 * The signed tree over the log, for everybody and without a key: who signs, the newest checkpoint, and tiles by their
 * names of C2SP tlog-tiles. A tile holds hashes and nothing else, so monitors and witnesses may read all of them.
 */
import { createSemaphore, type ProofService } from "@safelight/core"
import * as v from "valibot"
import { defineBody, described } from "../bodies/body.ts"
import type { ResponseHeaderName } from "../openapi/response-headers.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"

/** Strangers' reads of tiles at a time, and so many that wait: the database is for tasks. */
const MOST_READS = 4
const MOST_WAITING = 64

/** A tile that is full, or cut at a width, never changes: a year (RFC 8246). */
const IMMUTABLE = "public, max-age=31536000, immutable"

const KEPT: readonly ResponseHeaderName[] = [
  "X-Request-Id",
  "Cache-Control",
  "X-Content-Type-Options",
]

const EXAMPLE = {
  origin: "media.example/log",
  keys: ["media.example/log+0e2bd7f4+AaZ2d2gVYk8T0cXn7qBvZb4mJm0y0wq0o2cTq3m3m4nN"],
  checkpoint_url: "https://media.example/log/checkpoint",
  tiles_url: "https://media.example/log/tile/",
} as const

const signedLog = defineBody("SignedLog", EXAMPLE, {
  origin: described(v.string(), "Names the log: the first line of its checkpoints."),
  keys: described(
    v.array(v.string()),
    "With which its checkpoints are verified, as C2SP signed-note writes keys; the newest first. " +
      "Trust the one that you were given elsewhere.",
  ),
  checkpoint_url: v.string(),
  tiles_url: v.string(),
})

export const showSignedLog = defineEndpoint({
  method: "GET",
  path: "/.well-known/safelight-log.json",
  about: { id: "getSignedLog", tag: "Proofs", summary: "Who signs the log" },
  answers: { 200: { description: "The log's name and public keys.", json: signedLog } },
  refusals: [],
}).handleWith("proofs", ({ identity }, { publicUrl }) => (call) => {
  const url = publicUrl().replace(/\/+$/, "")
  return call.reply(200, {
    ...identity,
    checkpoint_url: `${url}/log/checkpoint`,
    tiles_url: `${url}/log/tile/`,
  })
})

export const showCheckpoint = defineEndpoint({
  method: "GET",
  path: "/log/checkpoint",
  about: {
    id: "getCheckpoint",
    tag: "Proofs",
    summary: "The newest checkpoint",
    description:
      "A signed note by C2SP tlog-checkpoint: the log's name, how many events have a leaf, and the root of their tree.",
  },
  answers: {
    200: { description: "The signed note.", types: ["text/plain"], always: KEPT },
  },
  refusals: ["not_found", "internal_error", "service_unavailable", "overloaded"],
}).handleWith("proofs", (proofs) => {
  const reads = createReads()
  return async (call) => {
    const checkpoint = call.demand(await reads.run(() => proofs.findCheckpoint()), "not_found")
    return call.reply(200, checkpoint.note, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    })
  }
})

export const showTile = defineEndpoint({
  method: "GET",
  path: "/log/tile/:tile{.+}",
  about: {
    id: "getTile",
    tag: "Proofs",
    summary: "A tile of the tree",
    description: "Up to 256 hashes of 32 bytes, by C2SP tlog-tiles. It never changes.",
  },
  inPath: {
    tile: {
      name: "tile",
      description: "Its level and place: `0/x001/x234/067`, or `1/000.p/3` for its first three.",
      schema: { type: "string", examples: ["0/000"] },
    },
  },
  answers: {
    200: { description: "The hashes.", types: ["application/octet-stream"], always: KEPT },
  },
  refusals: ["not_found", "internal_error", "service_unavailable", "overloaded"],
}).handleWith("proofs", (proofs: ProofService) => {
  const reads = createReads()
  return async (call) => {
    const path = call.param("tile")
    const hashes = call.demand(await reads.run(() => proofs.readTile(path)), "not_found")
    const headers = {
      "content-type": "application/octet-stream",
      "cache-control": IMMUTABLE,
      "x-content-type-options": "nosniff",
      "x-request-id": call.requestId,
    }
    return new Response(Uint8Array.from(hashes), { headers })
  }
})

function createReads() {
  return createSemaphore({ permits: MOST_READS, mostWaiting: MOST_WAITING, name: "log reads" })
}
