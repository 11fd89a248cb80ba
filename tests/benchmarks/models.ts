/**
 * A thousand models that are files of JSON. `models_load_ms`, `models_heap_mb` and `models_rss_mb`: what they take
 * to load. `model_post_cost_ratio`: the server's processor time of a POST of one of them over that of a
 * built-in one of the same parameters, each in turn, the middle of the ratios. The first page of the list and the API's
 * document: milliseconds once they are made, and their size.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import autocannon from "autocannon"
import { listCatalogue } from "@safelight/catalogue"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer, type ChildServer } from "./child-server.ts"
import { median, report } from "./measure.ts"

const COUNT = 1_000
const CONNECTIONS = 64
const ROUNDS = 7
const ROUND_S = 2
const PRICE = { perRequestMicros: 1_000 }

/** Text to image, as a file. */
const PICTURE = {
  id: "acme/picture",
  outputs: { image: 1 },
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["prompt"],
    $defs: {
      colour: {
        type: "object",
        additionalProperties: false,
        required: ["r", "g", "b"],
        properties: Object.fromEntries(
          ["r", "g", "b"].map((name) => [name, { type: "integer", minimum: 0, maximum: 255 }]),
        ),
      },
    },
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: 10_000 },
      size: {
        enum: [
          "square_hd",
          "square",
          "portrait_4_3",
          "portrait_16_9",
          "landscape_4_3",
          "landscape_16_9",
        ],
        default: "square_hd",
      },
      background_color: { $ref: "#/$defs/colour" },
      enable_safety_checker: { type: "boolean", default: true },
      colors: { type: "array", maxItems: 16, items: { $ref: "#/$defs/colour" }, default: [] },
    },
  },
  price: PRICE,
}

interface Shop {
  readonly url: string
  readonly key: string
  readonly count: number
  readonly loadMs: number
  readonly heapMb: number
  readonly rssMb: number
}

/** The models of the catalogue, again and again, each under an id of its own. */
async function writeModels(folder: string): Promise<void> {
  const models = await listCatalogue()
  await mkdir(join(folder, "models"), { recursive: true })
  await mkdir(join(folder, "few/models"), { recursive: true })
  const configuration = JSON.stringify({ models: ["./models"] })
  for (const each of [folder, join(folder, "few")]) {
    await writeFile(join(each, "safelight.config.json"), configuration)
    await writeFile(join(each, "models/picture.json"), JSON.stringify(PICTURE))
  }
  for (let index = 1; index < COUNT; index += 1) {
    const model = models[index % models.length] ?? models[0]
    if (model === undefined) throw new Error("the catalogue is empty")
    const file = { ...model.file, id: `shop-${index}/${model.name}`, price: PRICE }
    await writeFile(join(folder, `models/m${index}.json`), JSON.stringify(file))
  }
}

/** The server's processor time of a request, in microseconds. */
async function post(server: ChildServer<Shop>, model: string): Promise<number> {
  const { key, url } = server.announcement
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const body = JSON.stringify({ model, parameters: SAMPLE_REQUEST.parameters })
  const requests = [{ method: "POST" as const, path: "/v1/tasks", headers, body }]
  const before = await server.cpuMicros()
  const result = await autocannon({ url, connections: CONNECTIONS, duration: ROUND_S, requests })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${model}: ${result.non2xx} refused, ${result.errors} failed`)
  }
  return ((await server.cpuMicros()) - before) / result.requests.total
}

async function comparePosts(server: ChildServer<Shop>): Promise<readonly number[]> {
  const ratios: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    // Who is first has no advantage: they take turns.
    const first = round % 2 === 0
    const names = first ? [SAMPLE_REQUEST.model, PICTURE.id] : [PICTURE.id, SAMPLE_REQUEST.model]
    const costs = new Map<string, number>()
    for (const name of names) costs.set(name, await post(server, name))
    const [builtin = Number.NaN, own = Number.NaN] = [
      costs.get(SAMPLE_REQUEST.model),
      costs.get(PICTURE.id),
    ]
    // The first round warms up.
    if (round > 0) ratios.push(own / builtin)
  }
  return ratios
}

async function read({ key, url }: Shop, path: string) {
  const headers = { authorization: `Bearer ${key}` }
  const times: number[] = []
  let bytes = 0
  for (let count = 0; count < 20; count += 1) {
    const startedAt = performance.now()
    const response = await fetch(`${url}${path}`, { headers })
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`)
    bytes = (await response.arrayBuffer()).byteLength
    times.push(performance.now() - startedAt)
  }
  return { ms: median(times), kb: bytes / 1000 }
}

await using folder = await createTemporaryFolder()
await writeModels(folder.path)
await using server = await startServer<Shop>("models-server", folder.path)
const shop = server.announcement
if (shop.count !== COUNT) throw new Error(`${shop.count} models were loaded`)
const list = await read(shop, "/v1/models")
const document = await read(shop, "/openapi.json")
report({
  models_load_ms: shop.loadMs,
  models_heap_mb: shop.heapMb,
  models_rss_mb: shop.rssMb,
  models_page_ms: list.ms,
  models_page_kb: list.kb,
  models_document_ms: document.ms,
  models_document_kb: document.kb,
  model_post_cost_ratio: median(await comparePosts(server)),
})
