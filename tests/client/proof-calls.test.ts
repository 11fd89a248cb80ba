/** Proofs from a real service whose log is signed: fetched, kept, and verified by a key from elsewhere. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import {
  createClient,
  isApiError,
  verifyTaskProof,
  type Client,
  type TaskProof,
} from "@safelight/client"
import { toVerifierText } from "@safelight/proof"
import { createSigner } from "../proof/signed-tasks.ts"
import { createInProcessService } from "../service/in-process-service.ts"
import { createSignedService, type SignedService } from "../support/signed-service.ts"

const codeIs = (code: string) => (error: unknown) => isApiError(error) && error.code === code

describe("the proof of a task, from a service that signs its log", () => {
  let signed: SignedService
  let client: Client
  let task = ""
  let other = ""

  before(async () => {
    signed = await createSignedService()
    client = createClient(signed)
    ;[task = "", other = ""] = signed.tasks
  })

  after(() => signed[Symbol.asyncDispose]())

  /** A client whose service shows these instead of its own. */
  function deceive(changes: { readonly proof?: unknown; readonly log?: unknown }): Client {
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const { pathname } = new URL(url)
      if (changes.proof !== undefined && pathname.endsWith("/proof")) {
        return Response.json(changes.proof)
      }
      if (changes.log !== undefined && pathname.endsWith("/safelight-log.json")) {
        return Response.json(changes.log)
      }
      return globalThis.fetch(url, init)
    }
    return createClient({ ...signed, fetch, settings: { tries: 1 } })
  }

  it("is not ready before a checkpoint has the task, and the log's name and key are known", async () => {
    await assert.rejects(client.proof(task), codeIs("proof_not_ready"))
    const log = await client.signedLog()
    assert.deepEqual([log.origin, log.keys], ["media.example/log", [signed.logKey]])
    assert.equal(log.checkpoint_url, `${signed.url}/log/checkpoint`)
  })

  it("is a document that is worth as much without the service", async () => {
    const { size } = await signed.sign()
    const kept = JSON.stringify(await client.proof(task))
    const verdict = await verifyTaskProof(JSON.parse(kept), { keys: [signed.logKey], task })
    assert.ok(verdict.isProven, JSON.stringify(verdict))
    assert.deepEqual([verdict.isPinned, verdict.checkpoint.size], [true, size])
    const events = await client.events(task)
    assert.deepEqual(
      verdict.events.map(({ at, type, version }) => [version, type, at]),
      events.map(({ at_ms: at, type, version }) => [version, type, at]),
    )
    // What a customer is charged is proved too.
    const { charge_micros: charge } = await client.taskUsage(task)
    const last = JSON.parse(verdict.events.at(-1)?.data ?? "") as { chargeMicros: number }
    assert.equal(last.chargeMicros, charge)
  })

  it("is verified by a key from elsewhere, or by what the service says of itself", async () => {
    const proof = await client.proof(task)
    const own = await verifyTaskProof(proof, { log: await client.signedLog() })
    assert.deepEqual([own.isProven, own.isPinned], [true, false])
    const keys = [toVerifierText(createSigner().key)]
    const stranger = await verifyTaskProof(proof, { keys })
    assert.equal(!stranger.isProven && stranger.code, "unsigned")
  })

  it("is no other task's, and is not taken from what is no proof", async () => {
    const proof: TaskProof = await client.proof(other)
    await assert.rejects(deceive({ proof }).proof(task), codeIs("invalid_answer"))
    for (const answer of [{}, { ...proof, events: 1 }, { ...proof, format: "x" }, null, []]) {
      await assert.rejects(deceive({ proof: answer }).proof(other), codeIs("invalid_answer"))
    }
    for (const log of [{}, { origin: "x", keys: [1] }, { keys: [] }, null]) {
      await assert.rejects(deceive({ log }).signedLog(), codeIs("invalid_answer"))
    }
  })

  it("is no account's but its own, and ends with its signal", async () => {
    const unknown = task.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))
    await assert.rejects(client.proof(unknown), codeIs("task_not_found"))
    const signal = AbortSignal.abort()
    await assert.rejects(client.proof(task, { signal }), { name: "AbortError" })
    await assert.rejects(client.signedLog({ signal }), { name: "AbortError" })
  })
})

describe("a service that signs nothing", () => {
  it("has no proofs and no log", async () => {
    await using service = await createInProcessService()
    const client = createClient({ url: service.url, key: service.keys.whole })
    const task = await client.submit("vendor-a/v4.1/flash/text-to-image", { prompt: "fog" })
    await assert.rejects(client.signedLog(), codeIs("route_not_found"))
    await assert.rejects(client.proof(task.task_id), codeIs("route_not_found"))
  })
})
