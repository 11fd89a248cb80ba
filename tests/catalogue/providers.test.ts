/**
 * Every provider of every model of the catalogue: its stub takes the example and makes the kinds that the file says, and it
 * takes every value that the file lets through, one after another.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { listCatalogue, type CatalogueModel } from "@safelight/catalogue"
import {
  createHttpChannel,
  PROVIDERS,
  type Provider,
  type ServedUpstream,
} from "@safelight/channel-http"
import {
  isDataUrl,
  type ArtifactKind,
  type Channel,
  type ChannelOutput,
  type Json,
  type MediaKind,
  type PollOutcome,
  type TaskInputs,
} from "@safelight/core"
import { createSampleInputs } from "@safelight/testkit"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { toRequest } from "../adapters/channel-http/provider-world.ts"

const MODELS = await listCatalogue()
const LINK = "https://safelight.example/v1/inputs/i1"

/** By kind, how the type of a file begins. */
const TYPES: Readonly<Record<string, string>> = {
  image: "image/",
  video: "video/",
  audio: "audio/",
  text: "text/",
  "3d": "model/",
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly "x-media"?: MediaKind
}

const stubs = new Map<string, RunningStub>()

before(async () => {
  for (const { name } of Object.values(PROVIDERS)) {
    const start = STUBS[name]
    // oxlint-disable-next-line no-await-in-loop -- ten ports
    if (start !== undefined) stubs.set(name, await start({ queueMs: 0, runMs: 0 }))
  }
})
after(async () => {
  await Promise.all([...stubs.values()].map((stub) => stub[Symbol.asyncDispose]()))
})

/** By member path, lists implied. */
function findMedia(schema: Schema, path: string): readonly (readonly [string, MediaKind])[] {
  const { items, properties = {}, "x-media": kind } = schema
  if (kind !== undefined) return [[path, kind]]
  const below = Object.entries(properties).flatMap(([name, each]) => {
    return findMedia(each, path === "" ? name : `${path}/${name}`)
  })
  return items === undefined ? below : [...below, ...findMedia(items, path)]
}

/** The first example as the service would hand it on: with the defaults. */
function toParameters({ file }: CatalogueModel): Readonly<Record<string, unknown>> {
  const { properties = {} } = file.parameters as Schema
  const defaults = Object.entries(properties).flatMap(([name, each]) => {
    return each.default === undefined ? [] : [[name, each.default] as const]
  })
  return { ...Object.fromEntries(defaults), ...file.examples[0] }
}

function openChannel(model: CatalogueModel, provider: Provider): Channel {
  const { id, outputs, parameters, providers } = model.file
  const own = providers[provider.name] ?? assert.fail()
  const upstream: ServedUpstream = {
    ...(typeof own === "string" ? { model: own } : own),
    artifacts: Object.keys(outputs),
    media: Object.fromEntries(findMedia(parameters as Schema, "")),
  }
  const { url: baseUrl } = stubs.get(provider.name) ?? assert.fail(provider.name)
  const served = { models: [id], upstreams: { [id]: upstream } }
  return createHttpChannel({ provider, key: "key:secret", baseUrl, canLink: true, ...served })
}

/** What a file of another host would be. */
const PICTURE = "data:image/png;base64,iVBORw0KGgo="
const SAMPLES = createSampleInputs({ toLink: () => LINK })
const INPUTS: TaskInputs = {
  ...SAMPLES,
  open: (asked) => SAMPLES.open(isDataUrl(asked.url) ? asked : { ...asked, url: PICTURE }),
}

async function carryOut(
  channel: Channel,
  { id, outputs }: CatalogueModel["file"],
  parameters: object,
) {
  const artifacts = Object.keys(outputs) as readonly ArtifactKind[]
  const request = { ...toRequest(id, parameters), artifacts, inputs: INPUTS }
  const submitted = await channel.submit(request)
  const outcome = submitted.kind === "accepted" ? await follow(submitted.operation) : submitted
  assert.ok(outcome.kind === "completed", JSON.stringify(outcome))
  return outcome.outputs

  async function follow(operation: Json): Promise<PollOutcome> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const polled = await channel.poll({ ...request, operation, progress: 0 })
      if (polled.kind !== "running") return polled
    }
  }
}

/** The values of a parameter that are worth asking for: all of a list, both bounds of a number, as many items as it takes. */
function listValues(schema: Schema, example: unknown): readonly unknown[] {
  const { enum: list, maximum, maxItems, minimum, type } = schema
  if (list !== undefined) return list
  if (type === "boolean") return [false, true]
  if (type === "integer" || type === "number") return [minimum, maximum]
  const [item] = Array.isArray(example) ? example : []
  return item === undefined ? [] : [Array.from({ length: maxItems ?? 1 }, () => item)]
}

/** The example with each value of each parameter. */
function listVariants(model: CatalogueModel): readonly Readonly<Record<string, unknown>>[] {
  const { properties = {} } = model.file.parameters as Schema
  const parameters = toParameters(model)
  return Object.entries(properties).flatMap(([name, schema]) => {
    return listValues(schema, parameters[name]).map((value) => ({ ...parameters, [name]: value }))
  })
}

async function readType(output: ChannelOutput): Promise<string> {
  if (!("url" in output)) return output.mimeType
  const answer = await fetch(output.url, { headers: output.headers ?? {} })
  assert.equal(answer.status, 200)
  await answer.arrayBuffer()
  return answer.headers.get("content-type") ?? ""
}

for (const model of MODELS) {
  const { id, outputs, providers } = model.file
  describe(id, () => {
    for (const provider of Object.values(PROVIDERS)) {
      if (providers[provider.name] === undefined) continue
      it(`is made by ${provider.name}, as ${Object.keys(outputs).join(", ")}`, async () => {
        const channel = openChannel(model, provider)
        const parameters = toParameters(model)
        assert.equal(channel.accepts?.({ model: id, parameters }), true)
        const types = await Promise.all(
          (await carryOut(channel, model.file, parameters)).map(readType),
        )
        assert.ok(types.length > 0)
        const kinds = Object.keys(outputs).map((kind) => TYPES[kind] ?? assert.fail(kind))
        const foreign = types.filter((type) => !kinds.some((each) => type.startsWith(each)))
        assert.deepEqual(foreign, [])
        await channel.close?.()
      })

      it(`has every value taken by ${provider.name} that the file lets through`, async () => {
        const channel = openChannel(model, provider)
        for (const parameters of listVariants(model)) {
          if (channel.accepts?.({ model: id, parameters }) !== true) continue
          const request = { ...toRequest(id, parameters), inputs: INPUTS }
          // oxlint-disable-next-line no-await-in-loop -- one after another
          const { kind, ...answer } = await channel.submit(request)
          const told = JSON.stringify([parameters, answer])
          assert.ok(kind === "accepted" || kind === "completed", told)
        }
        await channel.close?.()
      })
    }
  })
}
