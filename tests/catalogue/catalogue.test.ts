/** Every file of the catalogue by itself: names, bounds, sources, and what fal's published types say. */
import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import {
  findCatalogueModel,
  listCatalogue,
  type CatalogueModel,
  type CatalogueUpstream,
  type ListPrice,
} from "@safelight/catalogue"
import { PROVIDERS } from "@safelight/channel-http"
import { parseModelDefinition, PRICE_RATES, readModelFile } from "@safelight/core"
import { sha256 } from "../core/support/sha256.ts"
import { readFalInput, type FalMember } from "./fal-types.ts"

const FOLDER = join(import.meta.dirname, "../../packages/catalogue/models")
const MODELS = await listCatalogue()
const TYPES = new Set<string>(Object.values(PROVIDERS).map(({ name }) => name))

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly "x-media"?: string
}

function parametersOf({ file }: CatalogueModel): Schema {
  return file.parameters
}

function upstreamsOf({ file }: CatalogueModel): readonly (readonly [string, FullUpstream])[] {
  return Object.entries(file.providers).map(([type, each]) => {
    return [type, typeof each === "string" ? { model: each } : each] as const
  })
}

interface FullUpstream extends CatalogueUpstream {
  readonly rename?: Readonly<Record<string, string>>
  readonly values?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly drop?: readonly string[]
  readonly accepts?: Readonly<Record<string, Schema | false>>
}

/** The places of what has no bound. */
function findUnbounded(schema: Schema, place: string): readonly string[] {
  const { additionalProperties, items, properties = {}, type } = schema
  if (type === "array")
    return [...findOwn(schema, place), ...findUnbounded(items ?? {}, `${place}/items`)]
  if (type !== "object") return findOwn(schema, place)
  const inner = Object.entries(properties).flatMap(([name, each]) => {
    return findUnbounded(each, `${place}/${name}`)
  })
  return additionalProperties === false ? inner : [place, ...inner]
}

function findOwn(schema: Schema, place: string): readonly string[] {
  if (schema.enum !== undefined || schema.type === "boolean") return []
  if (schema["x-media"] !== undefined) return []
  const { maximum, maxItems, maxLength, minimum, type = "" } = schema
  const bounds: Readonly<Record<string, readonly unknown[]>> = {
    string: [maxLength],
    integer: [minimum, maximum],
    number: [minimum, maximum],
    array: [maxItems],
  }
  return bounds[type]?.every((bound) => bound !== undefined) === true ? [] : [place]
}

function isWithin(schema: Schema, value: unknown): boolean {
  if (schema.enum !== undefined) return schema.enum.includes(value)
  if (schema.type === "array") {
    return Array.isArray(value) && value.every((each) => isWithin(schema.items ?? {}, each))
  }
  if (schema.type === "object") {
    return Object.entries(value as object).every(([name, each]) => {
      return isWithin(schema.properties?.[name] ?? {}, each)
    })
  }
  if (schema.type === "string") return typeof value === "string"
  if (schema.type === "boolean") return typeof value === "boolean"
  const { minimum = Infinity, maximum = -Infinity } = schema
  const number = value as number
  if (schema.type === "integer" && !Number.isInteger(number)) return false
  return number >= minimum && number <= maximum
}

function checkMapping({ properties = {} }: Schema, upstream: FullUpstream): void {
  const { accepts = {}, drop = [], rename = {} } = upstream
  for (const each of [...Object.keys(rename), ...drop, ...Object.keys(accepts)]) {
    assert.ok(properties[each] !== undefined, each)
  }
  for (const [each, bounds] of Object.entries(accepts)) {
    for (const value of (bounds || {}).enum ?? [])
      assert.ok(isWithin(properties[each] ?? {}, value))
  }
  checkMappedValues(properties, upstream)
}

/** Values are mapped by their names for the parameters. */
function checkMappedValues(
  properties: Readonly<Record<string, Schema>>,
  { drop = [], rename = {}, values = {} }: FullUpstream,
): void {
  const sent = Object.keys(properties).filter((each) => !drop.includes(each))
  const ours = new Map(sent.map((each) => [rename[each] ?? each, each]))
  for (const [their, mapped] of Object.entries(values)) {
    const { enum: list = [], type } = properties[ours.get(their) ?? ""] ?? {}
    const own = type === "boolean" ? [false, true] : list
    const unknown = Object.keys(mapped).filter((each) => !own.map(String).includes(each))
    assert.deepEqual(unknown, [], their)
  }
}

function checkFactors(parameters: Schema, cost: ListPrice): void {
  for (const [parameter, factors] of Object.entries(cost.factors ?? {})) {
    const { default: byDefault, enum: list, type: kind } = parameters.properties?.[parameter] ?? {}
    const all = kind === "boolean" ? [false, true] : (list ?? [])
    assert.deepEqual(Object.keys(factors).toSorted(), all.map(String).toSorted())
    assert.ok(byDefault !== undefined, `${parameter} may be absent`)
  }
}

function checkTypes(parameters: Schema, input: ReadonlyMap<string, FalMember>): void {
  const { properties = {}, required = [] } = parameters
  const needed = [...input].filter(([, { isRequired }]) => isRequired).map(([each]) => each)
  assert.deepEqual(
    needed.filter((each) => !required.includes(each)),
    [],
  )
  for (const [each, { default: byDefault, enum: own }] of Object.entries(properties)) {
    const theirs = input.get(each)
    assert.ok(theirs !== undefined, `fal has no ${each}`)
    if (theirs.values === undefined || own === undefined) continue
    assert.deepEqual(
      own.map(String).filter((value) => theirs.values?.includes(value) !== true),
      [],
      each,
    )
    if (byDefault !== undefined) assert.ok(own.includes(byDefault), each)
  }
}

describe("the catalogue", () => {
  it("has at least thirty models, of five kinds", () => {
    assert.ok(MODELS.length >= 30)
    const kinds = new Set(MODELS.flatMap(({ file }) => Object.keys(file.outputs)))
    assert.deepEqual([...kinds].toSorted(), ["3d", "audio", "image", "text", "video"])
  })

  it("is counted in its README by who makes it", () => {
    const readme = readFileSync(join(FOLDER, "../README.md"), "utf8").replaceAll("\n", " ")
    const types = MODELS.flatMap(({ file }) => Object.keys(file.providers))
    assert.ok(readme.includes(` ${MODELS.length} models: `))
    for (const type of new Set(types)) {
      const count = types.filter((each) => each === type).length
      assert.match(readme, new RegExp(` ${count} at ${type}[,.] `), `${count} at ${type}`)
    }
  })

  it("finds a model by its name and by its id, and by nothing else", async () => {
    const [first] = MODELS
    assert.ok(first)
    assert.deepEqual(await findCatalogueModel(first.name), first)
    assert.deepEqual(await findCatalogueModel(first.file.id), first)
    for (const name of [
      "none",
      "",
      "..",
      "../package",
      `other/${first.name}`,
      `${first.name}.json`,
    ]) {
      assert.equal(await findCatalogueModel(name), undefined, name)
    }
  })

  it("has every file of its folder, each with an id of its own", () => {
    assert.deepEqual(
      MODELS.map(({ name }) => `${name}.json`).toSorted(),
      readdirSync(FOLDER).toSorted(),
    )
    assert.equal(new Set(MODELS.map(({ file }) => file.id)).size, MODELS.length)
  })
})

for (const model of MODELS) {
  const { name, file } = model
  describe(`${name}.json`, () => {
    it("is named after its id", () => {
      assert.equal(file.id.slice(file.id.lastIndexOf("/") + 1), name)
      assert.match(file.id, /^[a-z0-9-]+\/[a-z0-9.-]+$/)
      assert.deepEqual(JSON.parse(model.text), file)
    })

    it("is a model that a service can serve", () => {
      const read = readModelFile(file)
      assert.ok(read.kind === "model", JSON.stringify(read))
      const { definition: body = "" } = read.model
      const definition = { kind: "model", digest: sha256([body]), body } as const
      const kept = parseModelDefinition(definition, sha256)
      assert.ok(kept !== undefined)
      const { artifacts, definition: again, logged, media, described } = kept
      const served = read.model
      assert.deepEqual(
        [artifacts, again, logged, media, described],
        [served.artifacts, body, served.logged, served.media, served.described],
      )
    })

    it("describes itself in one sentence, and has an example", () => {
      assert.match(file.description, /^[A-Zx][^.]+(?:\.\d[^.]*)*\.$/)
      assert.ok(file.title.length > 0 && file.examples.length > 0)
    })

    it("bounds every text, number and list", () => {
      assert.deepEqual(findUnbounded(parametersOf(model), ""), [])
    })

    it("has examples and defaults that fit", () => {
      const { properties = {}, required = [] } = parametersOf(model)
      for (const example of file.examples) {
        assert.deepEqual(
          required.filter((each) => !(each in example)),
          [],
        )
        for (const [key, value] of Object.entries(example)) {
          assert.ok(properties[key] !== undefined && isWithin(properties[key], value), key)
        }
      }
      for (const [key, each] of Object.entries(properties)) {
        if (each.default !== undefined) assert.ok(isWithin(each, each.default), key)
      }
    })

    it("names its sources, each with its day and what it says", () => {
      assert.ok(file.sources.length > 0)
      for (const { address, read, says } of file.sources) {
        assert.match(address, /^(?:https:\/\/[a-z.]+\/\S+|npm:@?[\w/-]+@\d+\.\d+\.\d+)$/)
        assert.match(read, /^\d{4}-\d\d-\d\d$/)
        assert.ok(says.length > 0)
      }
    })

    for (const [type, upstream] of upstreamsOf(model)) {
      it(`is made by ${type}: only parameters are renamed, dropped and bounded, and only their values mapped`, () => {
        assert.ok(TYPES.has(type), `${type} is no provider`)
        checkMapping(parametersOf(model), upstream)
      })

      const { cost } = upstream
      if (cost !== undefined) {
        it(`has a list price of ${type}, with its source, whose factors name every value`, () => {
          assert.match(cost.source, /^https:\/\//)
          assert.match(cost.read, /^\d{4}-\d\d-\d\d$/)
          const rates = PRICE_RATES.filter((rate) => cost[rate] !== undefined)
          assert.equal(rates.length, 1)
          for (const rate of rates) assert.ok(Number.isSafeInteger(cost[rate]))
          checkFactors(parametersOf(model), cost)
        })
      }
    }

    const { providers } = file
    const fal = typeof providers["fal"] === "string" ? providers["fal"] : providers["fal"]?.model
    const input = fal === undefined ? undefined : readFalInput(fal)
    if (input !== undefined) {
      it("has fal's own parameters: every required one, no unknown one, no value that fal lacks", () => {
        checkTypes(parametersOf(model), input)
      })
    }
  })
}

it("most models are held against fal's types", () => {
  const held = MODELS.filter(({ file }) => {
    const { fal } = file.providers
    return (
      fal !== undefined && readFalInput(typeof fal === "string" ? fal : fal.model) !== undefined
    )
  })
  assert.ok(held.length >= 45, `${held.length}`)
})
