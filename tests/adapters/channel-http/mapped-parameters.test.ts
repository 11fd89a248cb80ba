/** Parameters as a provider names them, by data: what holds for any request and any mapping. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, type Provider, type ServedUpstream } from "@safelight/channel-http"
import { createRandom } from "../../faults/random.ts"
import { createProvider, toRequest } from "./provider-world.ts"

const ID = "acme/own"
const ROUNDS = 400
const NAMES = ["prompt", "size", "count", "seed", "image_urls", "nested"] as const

/** What the provider's rule is given for a request. */
async function map(upstream: ServedUpstream, parameters: object): Promise<object> {
  let given: object = {}
  const provider: Provider = {
    ...createProvider(() => Promise.resolve(undefined)),
    toModel: () => ({
      toRequest(mapped) {
        given = mapped
        return { method: "POST", path: "/" }
      },
    }),
  }
  const channel = createHttpChannel({ provider, key: "key", upstreams: { [ID]: upstream } })
  assert.equal((await channel.submit(toRequest(ID, parameters))).kind, "not-created")
  await channel.close?.()
  return given
}

describe("parameters that are mapped by data", () => {
  it("are each sent once, under their new names, with their new values, and nothing else", async () => {
    const seed = String(Date.now() % 1_000_000)
    const random = createRandom(seed)
    for (let round = 0; round < ROUNDS; round += 1) {
      const told = `seed ${seed}, round ${round}`
      const isAny = (): boolean => random.integer(0, 1) === 1
      const some = NAMES.filter(isAny)
      const parameters = Object.fromEntries(some.map((name) => [name, isAny() ? "a" : 7]))
      const drop = NAMES.filter((name) => name !== "prompt" && random.integer(0, 4) === 0)
      const renamed = NAMES.filter(isAny)
      const rename = Object.fromEntries(
        renamed.map((name) => [name, isAny() ? `their_${name}` : `group/their_${name}`]),
      )
      const nameOf = (name: string): string => rename[name] ?? name
      const values = Object.fromEntries(
        NAMES.filter(isAny).map((name) => [nameOf(name), { a: { is: name }, 7: null }]),
      )
      const constants = isAny() ? { fixed: [true], "group/fixed": 1 } : {}
      const upstream: ServedUpstream = { model: "own", constants, drop, rename, values }

      const expected: Record<string, unknown> = {}
      const set = (path: string, value: unknown): void => {
        const [group = "", name] = path.split("/")
        if (name === undefined) expected[group] = value
        else expected[group] = { ...(expected[group] as object | undefined), [name]: value }
      }
      for (const [name, value] of Object.entries(parameters)) {
        if ((drop as readonly string[]).includes(name)) continue
        const known = values[nameOf(name)] as Record<string, unknown> | undefined
        set(nameOf(name), known === undefined ? value : known[String(value)])
      }
      for (const [name, value] of Object.entries(constants)) set(name, value)
      const before = structuredClone({ parameters, upstream })
      // oxlint-disable-next-line no-await-in-loop -- the rounds share a seed
      assert.deepEqual(await map(upstream, parameters), expected, told)
      assert.deepEqual({ parameters, upstream }, before, `${told}: nothing is changed in place`)
    }
  })

  it("have values by each item of a list, and keep what no value is given for", async () => {
    const upstream: ServedUpstream = {
      model: "own",
      values: { sizes: { a: "A", true: 1 }, plain: { a: "A" } },
    }
    const parameters = { sizes: ["a", "b", true], plain: { a: "a" } }
    assert.deepEqual(await map(upstream, parameters), { sizes: ["A", "b", 1], plain: { a: "a" } })
  })

  it("become the members of their value, or nothing, if they are renamed to a dot", async () => {
    const upstream: ServedUpstream = {
      model: "own",
      rename: { size: ".", shape: "." },
      values: {
        ".": { square: { width: 8, height: 8 }, auto: {}, wide: { "a/b": 1, inner: { c: [2] } } },
      },
      constants: { "inner/d": 3 },
    }
    const sent = (parameters: object) => map(upstream, parameters)
    const inner = { d: 3 }
    assert.deepEqual(await sent({ size: "square" }), { width: 8, height: 8, inner })
    assert.deepEqual(await sent({ size: "auto", count: 1 }), { count: 1, inner })
    const both = { width: 8, height: 8, "a/b": 1, inner: { c: [2], d: 3 } }
    assert.deepEqual(await sent({ size: "square", shape: "wide" }), both)
    assert.deepEqual(upstream.values?.["."]?.["wide"], { "a/b": 1, inner: { c: [2] } })
  })

  it("are sent unchanged without a mapping, in their order", async () => {
    const parameters = { z: 1, a: [{ deep: { er: [null] } }], prompt: "fog" }
    const mapped = await map({ model: "own" }, parameters)
    assert.equal(JSON.stringify(mapped), JSON.stringify(parameters))
  })
})
