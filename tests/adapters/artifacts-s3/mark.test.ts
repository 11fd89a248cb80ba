/**
 * The mark of a bucket, where buckets differ: what they answer to a condition, what they lose on the
 * way, and what stands where the mark belongs.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createS3Artifacts } from "@safelight/artifacts-s3"
import { isUnavailable } from "./bodies.ts"
import { refuse, serveBucket } from "./bucket-server.ts"

/** Waits pass at once. */
const clock = { now: () => Date.now(), wait: async () => {} }

describe("the mark of a bucket", () => {
  it("is an object of its own below each prefix, stored on the condition that there is none", async (t) => {
    const server = await serveBucket(t)
    const conditions: unknown[] = []
    server.act = (exchange) => {
      if (exchange.operation === "PutObject") {
        conditions.push(exchange.request.headers["if-none-match"])
      }
      exchange.serve()
    }
    for (const prefix of ["", "one/", "one/two/"]) {
      const artifacts = createS3Artifacts({ ...server.options, prefix })
      assert.equal(await artifacts.mark(`mark-${prefix}`), `mark-${prefix}`)
      assert.equal(server.objects.get(`${prefix}.safelight/mark`)?.toString(), `mark-${prefix}\n`)
    }
    assert.deepEqual(conditions, ["*", "*", "*"])
  })

  it("is stored without the condition where a bucket knows none", async (t) => {
    for (const [status, code] of [
      [501, "NotImplemented"],
      [400, "InvalidArgument"],
    ] as const) {
      const server = await serveBucket(t)
      const artifacts = createS3Artifacts(server.options)
      server.act = (exchange) => {
        const isConditional = exchange.request.headers["if-none-match"] !== undefined
        if (isConditional) refuse(exchange.response, status, code)
        else exchange.serve()
      }
      assert.equal(await artifacts.mark("first"), "first")
      assert.equal(await artifacts.mark("second"), "first")
    }
  })

  it("is not stored where the credentials have ended, which says nothing of the condition", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, clock })
    server.act = (exchange) => {
      if (exchange.operation !== "PutObject" || exchange.before > 0) return exchange.serve()
      return refuse(exchange.response, 400, "ExpiredToken")
    }
    await assert.rejects(artifacts.mark("ours"), isUnavailable)
    assert.equal(server.objects.size, 0)
  })

  it("is the one that was stored where the answer was lost on the way", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, clock })
    server.act = (exchange) => {
      if (exchange.operation !== "PutObject" || exchange.before > 0) return exchange.serve()
      server.objects.set(".safelight/mark", exchange.body)
      exchange.response.destroy()
    }
    assert.equal(await artifacts.mark("ours"), "ours")
  })

  it("is another's where that was stored first, also while both were stored", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, clock })
    server.act = (exchange) => {
      if (exchange.operation !== "PutObject" || exchange.before > 0) return exchange.serve()
      return refuse(exchange.response, 409, "ConditionalRequestConflict")
    }
    let reads = 0
    const { act } = server
    server.act = (exchange) => {
      reads += exchange.operation === "GetObject" ? 1 : 0
      // Theirs is there once the conflict is over.
      if (reads === 3) server.objects.set(".safelight/mark", Buffer.from("theirs\n"))
      return act(exchange)
    }
    assert.equal(await artifacts.mark("ours"), "theirs")
  })

  it("is unavailable where it can't be told, and nothing is stored then", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, tries: 1, clock })
    const strange = ["", "two\nlines\n", "no line break", `${"x".repeat(101)}\n`, "sp ace\n"]
    for (const text of strange) {
      server.objects.set(".safelight/mark", Buffer.from(text))
      await assert.rejects(artifacts.mark("ours"), /\.safelight\/mark in it is damaged/)
      assert.equal(server.objects.get(".safelight/mark")?.toString(), text)
    }
    server.objects.clear()
    for (const [status, code] of [
      [403, "AccessDenied"],
      [404, "NoSuchBucket"],
      [503, "SlowDown"],
    ] as const) {
      server.act = ({ response }) => refuse(response, status, code)
      await assert.rejects(artifacts.mark("ours"), isUnavailable)
    }
    server.act = (exchange) => {
      if (exchange.operation === "PutObject") exchange.response.end()
      else exchange.serve()
    }
    await assert.rejects(artifacts.mark("ours"), /does not hold the mark that it took/)
    assert.equal(server.objects.size, 0)
  })
})
