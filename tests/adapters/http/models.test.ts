/** The models over HTTP: what each takes, makes and costs, under its id with or without encoded slashes. */
import { createAccess } from "@safelight/access"
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineModel, fields, MODELS, text, type ArtifactKind, type Model } from "@safelight/core"
import { createHttpHandler } from "@safelight/http"
import { createManualClock } from "@safelight/testkit"
import { createFakeService } from "./fake-service.ts"
import { createFakeStorage } from "./fake-storage.ts"
import { createWorld, WORLDS, type World } from "./worlds.ts"

const EDIT = "vendor-b/imagine-image/v2.0/edit"

async function open(kind: (typeof WORLDS)[number]): Promise<World> {
  return createWorld(kind, { settings: { bodyBytes: 1_000_000 } })
}

interface ShownModel {
  readonly model: string
  readonly available: boolean
  readonly unavailable_reason: string | null
}

/** Of a list or of one model. */
async function readModels(response: Response) {
  const body = (await response.json()) as ShownModel | { readonly models: readonly ShownModel[] }
  const models = "models" in body ? body.models : [body]
  return models.map(({ model, available, unavailable_reason: reason }) => ({
    model,
    available,
    reason,
  }))
}

for (const kind of WORLDS) {
  describe(`the models, ${kind}`, () => {
    it("are listed in their order, each as it is shown alone", async () => {
      await using world = await open(kind)
      const response = await world.call("/v1/models")
      const { models } = (await response.json()) as { models: { model: string }[] }
      assert.deepEqual(
        models.map(({ model }) => model),
        MODELS.map(({ id }) => id),
      )
      for (const each of models) {
        for (const path of [each.model, encodeURIComponent(each.model)]) {
          const shown = await world.call(`/v1/models/${path}`)
          assert.equal(shown.status, 200)
          assert.deepEqual(await shown.json(), each)
        }
      }
    })

    it("say what they take, what they make, what bounds them and what they cost", async () => {
      await using world = await open(kind)
      const response = await world.call(`/v1/models/${EDIT}`)
      const { parameters, ...rest } = (await response.json()) as {
        parameters: { $schema: string; required: string[]; properties: Record<string, object> }
      }
      assert.deepEqual(rest, {
        model: EDIT,
        available: true,
        unavailable_reason: null,
        outputs: { type: "image", keys: "image_<n>" },
        media: [
          {
            param: "parameters.image_urls",
            type: "image",
            data_url_types: ["image/png", "image/jpeg", "image/webp"],
          },
        ],
        limits: { body_bytes: 1_000_000, url_characters: 8_192, data_url_bytes: 20_971_520 },
        price_version: "default-1",
        price: { per_image_micros: 20_000 },
      })
      assert.match(parameters.$schema, /2020-12/)
      assert.deepEqual(parameters.required, ["image_urls", "prompt"])
      const { count } = parameters.properties
      assert.deepEqual(count, { type: "integer", minimum: 1, maximum: 4, default: 1 })
    })

    it("are not sent again to who has them", async () => {
      await using world = await open(kind)
      const [list, one] = ["/v1/models", `/v1/models/${EDIT}`]
      for (const path of [list, one]) {
        const etag = (await world.call(path)).headers.get("etag") ?? ""
        assert.match(etag, /^"[0-9a-f]{64}"$/)
        const again = await world.call(path, { headers: { "if-none-match": etag } })
        assert.deepEqual([again.status, await again.text()], [304, ""])
      }
      const other = await world.call(one, { headers: { "if-none-match": '"other"' } })
      assert.equal(other.status, 200)
    })

    it("say which of them can't be made now and why, with another entity tag", async () => {
      await using world = await open(kind)
      for (const path of ["/v1/models", `/v1/models/${EDIT}`]) {
        const read = async (etag = "") => {
          const response = await world.call(path, { headers: { "if-none-match": etag } })
          const body = response.status === 304 ? [] : await readModels(response)
          return { etag: response.headers.get("etag") ?? "", body }
        }
        world.fake.miss(new Map())
        const before = await read()
        world.fake.miss(new Map([[EDIT, "paused"]]))
        const during = await read(before.etag)
        assert.deepEqual(
          during.body.filter(({ available }) => !available),
          [{ model: EDIT, available: false, reason: "paused" }],
        )
        world.fake.miss(new Map([[EDIT, "no_worker"]]))
        const other = await read(during.etag)
        assert.equal(other.body.find(({ model }) => model === EDIT)?.reason, "no_worker")
        world.fake.miss(new Map())
        const after = await read(other.etag)
        assert.deepEqual(after, before)
        assert.deepEqual((await read(before.etag)).body, [])
      }
    })

    it("need a key, and one that is not there is named with those that are", async () => {
      await using world = await open(kind)
      assert.equal((await world.bare("/v1/models")).status, 401)
      assert.equal((await world.bare(`/v1/models/${EDIT}`)).status, 401)
      for (const id of ["none", `${EDIT}/`, EDIT.toUpperCase(), "vendor-b"]) {
        const response = await world.call(`/v1/models/${id}`)
        const { error } = (await response.json()) as { error: { code: string; message: string } }
        assert.deepEqual([response.status, error.code], [404, "not_found"])
        assert.match(error.message, /does not exist\. Choose one of: vendor-a/)
      }
    })
  })
}

describe("a thousand models", () => {
  interface Page {
    readonly models: readonly { readonly model: string }[]
    readonly next_cursor: string | null
  }

  function define(index: number): Model {
    return defineModel({
      id: `acme/m${index}`,
      artifacts: index % 10 === 0 ? ["video", "image"] : "image",
      parameters: fields({ word: text(1, 100) }),
      logged: [],
      estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
    })
  }

  function openShop(models: readonly Model[]) {
    const { service } = createFakeService()
    const { keys, storage } = createFakeStorage()
    const clock = createManualClock()
    const access = createAccess({ storage, service, clock })
    const publicUrl = () => "https://media.example/"
    const handler = createHttpHandler({ service, access, clock, publicUrl, models })
    const headers = { authorization: `Bearer ${keys.add()}` }
    const ask = (query: string) =>
      handler.fetch(new Request(`https://media.example/v1/models${query}`, { headers }))
    return {
      ask,
      async list(query: string): Promise<Page> {
        const response = await ask(query)
        assert.equal(response.status, 200)
        return (await response.json()) as Page
      },
    }
  }

  const ALL = Array.from({ length: 1_000 }, (_, index) => define(index))
  const idsOf = ({ models }: Page) => models.map(({ model }) => model)

  it("come in pages, in their order, each once", async () => {
    const { list } = openShop(ALL)
    for (const [query, size] of [
      ["", 100],
      ["limit=333&", 333],
    ] as const) {
      const found: string[] = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const page: Page = await list(`?${query}${cursor === "" ? "" : `cursor=${cursor}`}`)
        assert.ok(page.models.length <= size)
        found.push(...idsOf(page))
        cursor = page.next_cursor
      }
      assert.deepEqual(
        found,
        ALL.map(({ id }) => id),
      )
    }
  })

  it("are those of a kind where it is asked for", async () => {
    const { list } = openShop(ALL)
    const { models, next_cursor: cursor } = await list("?type=video&limit=100")
    assert.equal(models.length, 100)
    assert.equal(cursor, null)
    assert.ok(models.every(({ model }) => model.endsWith("0")))
    assert.deepEqual(await list("?type=3d"), { models: [], next_cursor: null })
  })

  it("go on behind the one that a cursor names, and where it was if it is gone", async () => {
    const first = await openShop(ALL).list("?limit=10")
    const cursor = first.next_cursor ?? assert.fail()
    const moved = openShop([...ALL.slice(500, 510), ...ALL.slice(0, 500)])
    assert.deepEqual(idsOf(await moved.list(`?limit=2&cursor=${cursor}`)), ["acme/m10", "acme/m11"])
    const fewer = openShop(ALL.filter(({ id }) => id !== "acme/m9"))
    assert.deepEqual(idsOf(await fewer.list(`?limit=1&cursor=${cursor}`)), ["acme/m10"])
    assert.deepEqual(await openShop(ALL.slice(0, 5)).list(`?cursor=${cursor}`), {
      models: [],
      next_cursor: null,
    })
  })

  it("are refused by page and by kind where the query is wrong", async () => {
    const { ask } = openShop(ALL)
    for (const query of ["limit=0", "limit=501", "cursor=x", "type=picture", "page=2"]) {
      assert.equal((await ask(`?${query}`)).status, 400, query)
    }
  })
})

describe("a model of the host's own", () => {
  async function show(artifacts: "video" | readonly [ArtifactKind, ...ArtifactKind[]]) {
    const own = defineModel({
      id: "acme/one",
      artifacts,
      parameters: fields({ word: text(1, 100) }),
      logged: [],
      estimate: () => ({ images: 0, inputVideosMs: [], outputVideoMs: 1_000 }),
    })
    const { service } = createFakeService()
    const { keys, storage } = createFakeStorage()
    const clock = createManualClock()
    const table = { version: "own-1", models: { "acme/one": { perVideoSecondMicros: 7 } } }
    const handler = createHttpHandler({
      service: { ...service, currentPrices: () => table },
      access: createAccess({ storage, service, clock }),
      clock,
      publicUrl: () => "https://media.example/",
      models: [own],
    })
    const headers = { authorization: `Bearer ${keys.add()}` }
    const url = "https://media.example/v1/models/acme/one"
    const response = await handler.fetch(new Request(url, { headers }))
    return (await response.json()) as Record<string, unknown>
  }

  it("is listed with the price that the service has for it", async () => {
    const shown = await show("video")
    assert.deepEqual(shown["price"], { per_video_second_micros: 7 })
    assert.deepEqual(shown["outputs"], { type: "video", keys: "video" })
    assert.equal(shown["price_version"], "own-1")
  })

  it("is listed with all that it makes, the main kind first", async () => {
    const { outputs } = await show(["audio", "image", "text", "3d"])
    const extras = [
      { type: "image", keys: "image_<n>" },
      { type: "text", keys: "text" },
      { type: "3d", keys: "3d" },
    ]
    assert.deepEqual(outputs, { type: "audio", keys: "audio", extras })
  })
})
