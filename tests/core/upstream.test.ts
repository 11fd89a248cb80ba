/** How a provider makes a model, as data: what is taken, what is refused and where, and which values fit. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { findMisfit, upstreamSchema } from "@safelight/core"
import * as v from "valibot"

function read(value: unknown): unknown {
  const result = v.safeParse(upstreamSchema, value)
  if (result.success) return JSON.parse(JSON.stringify(result.output))
  return (result.issues[0].path ?? []).map(({ key }) => String(key)).join("/")
}

describe("how a provider makes a model", () => {
  it("is a text, or an object with the model's id", () => {
    for (const id of ["fal-ai/flux-2-pro", "runware:100@1", "owner/name:0abc", "ep-2026-abc"]) {
      assert.deepEqual(read(id), { model: id })
    }
    const whole = {
      model: "a/b",
      at: { "ark.cn-beijing.volces.com": "c/d", "127.0.0.1:8080": "e" },
      rename: { image_size: "size", shape: "imageConfig/aspectRatio", ratio: "." },
      values: {
        size: { "4k": { width: 4096, height: 4096 }, true: "yes" },
        ".": { auto: {}, "1:1": { width: 1024, height: 1024 } },
      },
      constants: { output_format: "png", nested: { list: [1, null, false] } },
      drop: ["seed"],
      accepts: { num_images: { maximum: 1 }, size: { enum: ["a", 1, true] }, seed: false },
      cost: {
        perImageMicros: 30_000,
        factors: { size: { "4k": "2.5" } },
        source: "https://vendor.example/prices",
        read: "2026-11-26",
      },
    }
    assert.deepEqual(read(whole), whole)
  })

  it("is refused with the place of what is wrong", () => {
    let deep: unknown = "x"
    for (let level = 0; level < 10; level += 1) deep = [deep]
    const faults: readonly (readonly [value: unknown, place: string])[] = [
      ["", ""],
      ["a/../b", ""],
      ["../b", ""],
      ["a//b", ""],
      ["/a", ""],
      ["a b", ""],
      ["a?b", ""],
      ["x".repeat(257), ""],
      [7, ""],
      [null, ""],
      [["a"], ""],
      [{}, "model"],
      [{ model: "a", upstream: "b" }, "upstream"],
      [{ model: "a", rename: { size: 1 } }, "rename/size"],
      [{ model: "a", rename: { size: "a//b" } }, "rename/size"],
      [{ model: "a", rename: { size: "a/__proto__" } }, "rename/size"],
      [JSON.parse('{"model":"a","rename":{"__proto__":"b"}}'), "rename"],
      [{ model: "a", rename: {} }, "rename"],
      [{ model: "a", rename: { size: "./width" } }, "rename/size"],
      [{ model: "a", rename: { size: "a/." } }, "rename/size"],
      [{ model: "a", rename: { size: "." } }, "values"],
      [{ model: "a", rename: { size: "." }, values: { size: { a: {} } } }, "values"],
      [{ model: "a", rename: { size: "." }, values: { ".": { a: {}, b: "c" } } }, "values"],
      [{ model: "a", rename: { size: "." }, values: { ".": { a: [1] } } }, "values"],
      [{ model: "a", rename: { size: "." }, values: { ".": { a: null } } }, "values"],
      [{ model: "a", at: {} }, "at"],
      [{ model: "a", at: { "https://other.example": "b" } }, "at/https://other.example"],
      [{ model: "a", at: { "other.example": "../b" } }, "at/other.example"],
      [{ model: "a", accepts: { size: true } }, "accepts/size"],
      [{ model: "a", values: { size: {} } }, "values/size"],
      [{ model: "a", values: { size: { a: "x".repeat(8_193) } } }, "values/size/a"],
      [{ model: "a", constants: { size: deep } }, "constants/size"],
      [{ model: "a", constants: ["size"] }, "constants"],
      [{ model: "a", drop: [] }, "drop"],
      [{ model: "a", drop: "seed" }, "drop"],
      [{ model: "a", accepts: { size: {} } }, "accepts/size"],
      [{ model: "a", accepts: { size: { pattern: "(a+)+" } } }, "accepts/size/pattern"],
      [{ model: "a", accepts: { size: { enum: [] } } }, "accepts/size/enum"],
      [{ model: "a", accepts: { n: { maxItems: 1.5 } } }, "accepts/n/maxItems"],
      [{ model: "a", cost: { perImageMicros: 0.5 } }, "cost/perImageMicros"],
      [{ model: "a", cost: { factors: { size: { a: "1e9" } } } }, "cost/factors/size/a"],
      [{ model: "a", cost: { read: "yesterday" } }, "cost/read"],
    ]
    for (const [value, place] of faults) assert.equal(read(value), place, JSON.stringify(value))
  })
})

describe("what a provider takes of a parameter", () => {
  const accepts = {
    size: { enum: ["720p", 1, true] },
    count: { minimum: 1, maximum: 2 },
    prompt: { minLength: 2, maxLength: 3 },
    urls: { minItems: 1, maxItems: 2 },
    seed: false,
  } as const
  const misfits: readonly (readonly [parameters: object, param: string | undefined])[] = [
    [{}, undefined],
    [{ size: "720p", count: 2, prompt: "🎈🎈🎈", urls: ["a"] }, undefined],
    [{ size: true }, undefined],
    [{ size: 1 }, undefined],
    [{ size: "1" }, "size"],
    [{ size: "1080p" }, "size"],
    [{ count: 3 }, "count"],
    [{ count: 0 }, "count"],
    [{ prompt: "a" }, "prompt"],
    [{ prompt: "abcd" }, "prompt"],
    [{ urls: [] }, "urls"],
    [{ urls: ["a", "b", "c"] }, "urls"],
    [{ seed: 0 }, "seed"],
    [{ seed: undefined }, undefined],
    // A keyword is only about values of its own type.
    [{ count: "9", prompt: 7, urls: "abc" }, undefined],
  ]
  for (const [parameters, param] of misfits) {
    it(`is judged by its value: ${JSON.stringify(parameters)}`, () => {
      assert.equal(findMisfit({ accepts }, { ...parameters })?.param, param)
    })
  }

  it("whose members are sent has to be a value whose members are known", () => {
    const upstream = { rename: { size: "." }, values: { ".": { auto: {}, 2: { width: 2 } } } }
    assert.equal(findMisfit(upstream, { size: "auto" }), undefined)
    assert.equal(findMisfit(upstream, { size: 2 }), undefined)
    assert.equal(findMisfit(upstream, {}), undefined)
    for (const size of ["private", ["auto"], "__proto__", "constructor"]) {
      const reason = "only 2, auto can be asked for"
      assert.deepEqual(findMisfit(upstream, { size }), { param: "size", reason })
    }
  })

  it("is told without the request's own value", () => {
    assert.equal(findMisfit({ accepts }, { seed: 7 })?.reason, "it can't be set")
    const { reason } = findMisfit({ accepts }, { size: "private" }) ?? assert.fail()
    assert.equal(reason, "only 720p, 1, true can be asked for")
    assert.equal(
      findMisfit({ accepts }, { urls: [1, 2, 3] })?.reason,
      "at most 2 items can be asked for",
    )
  })
})
