/**
 * What `safelight.config.json` may hold: every field is optional, an unknown one is refused. Settings that are
 * flags and variables too are checked by the same schemas, so that a wrong port is reported in the same words
 * in each of them.
 */
import { fields, PRICE_MEMBERS, type PriceBook } from "@safelight/core"
import * as v from "valibot"
import { LONGEST_MS } from "../text/duration.ts"
import { accountDefaultsSchema } from "./account-defaults.ts"
import { channelsSchema, modulePath } from "./channel-settings.ts"
import { DEFAULTS } from "./defaults.ts"

function wholeNumber(min: number, max: number): v.GenericSchema<number> {
  const message = `expected a whole number from ${min} to ${max}`
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  )
}

const nonEmpty = "expected a text that is not empty"
const text = v.pipe(v.string(nonEmpty), v.trim(), v.nonEmpty(nonEmpty))

const currencyName = v.pipe(
  text,
  v.regex(
    /^\p{L}[\p{L}\p{N} ._-]{0,15}$/u,
    "expected a short name, such as EUR or credits: at most 16 letters, digits, spaces, '.', '_' and '-'",
  ),
)

const flag = v.boolean("expected true or false")

const notAnAddress =
  "expected an http(s) address without a user, a query or a fragment, such as https://media.example"

const notAPlace = "expected s3://bucket?endpoint=…&region=…, or a folder"

const notADatabase = "expected a URL such as postgres://user@host:5432/database"

const host = v.pipe(
  text,
  v.transform((address) => address.replace(/^\[(.*)\]$/, "$1")),
)

const database = v.pipe(
  v.string(notADatabase),
  v.check((url) => /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? ""), notADatabase),
)

/** The settings that a flag, a variable and the file may each give. */
export const SHARED_SETTINGS = {
  host,
  port: wholeNumber(0, 65_535),
  data: text,
  logLevel: v.picklist(
    ["silent", "error", "warn", "info"],
    'expected one of "silent", "error", "warn", "info"',
  ),
  metrics: flag,
  metricsHost: host,
  metricsPort: wholeNumber(0, 65_535),
  sandbox: flag,
  database,
  listenDatabase: database,
  readDatabase: database,
  artifacts: v.pipe(
    text,
    v.check(
      (place) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(place) || place.startsWith("s3:"),
      notAPlace,
    ),
  ),
  role: v.picklist(["all", "api", "worker"], 'expected one of "all", "api", "worker"'),
  publicUrl: v.pipe(
    v.string(notAnAddress),
    v.check(isPublicUrl, notAnAddress),
    v.transform((url) => new URL(url).href.replace(/\/+$/, "")),
  ),
} as const

function isPublicUrl(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return url.username === "" && url.password === "" && !/[?#]/.test(address)
}

const DAY_MS = 24 * 60 * 60 * 1000

const priceTable = fields({ version: text, models: v.record(v.string(), fields(PRICE_MEMBERS)) })

const priceBook = v.pipe(
  v.array(priceTable, "expected a list of price tables"),
  v.nonEmpty("expected at least one price table"),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? findPriceFault(dataset.value) : undefined
    if (fault !== undefined) addIssue({ message: fault })
  }),
  // Tasks that were accepted under the built-in table keep its prices.
  v.transform((tables): PriceBook => [...DEFAULTS.prices, ...tables] as unknown as PriceBook),
)

type PriceTables = v.InferOutput<typeof priceTable>[]

/** A version names one table for ever. Whether tables fit the models is checked once those are loaded. */
function findPriceFault(tables: PriceTables): string | undefined {
  const taken = new Set(DEFAULTS.prices.map((table) => table.version))
  for (const { version } of tables) {
    if (taken.has(version)) return `version "${version}" names another table already`
    taken.add(version)
  }
  return undefined
}

/** Where a stranger's URL may lead. */
const addresses = {
  allowedAddresses: v.exactOptional(v.array(text, "expected a list")),
  deniedAddresses: v.exactOptional(v.array(text, "expected a list")),
}

const notACopy =
  "expected a file, s3://bucket/prefix, or an http(s) address without a user or a fragment"

const checkpointCopy = v.pipe(
  text,
  v.check((place) => isFile(place) || isBucket(place) || isReceiver(place), notACopy),
)

/** Of the places for copies of checkpoints: each is one of the three. */
export function isFile(place: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\//i.test(place)
}

export function isBucket(place: string): boolean {
  return /^s3:\/\//i.test(place)
}

export function isReceiver(place: string): boolean {
  const url = URL.parse(place)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return url.username === "" && url.password === "" && url.hash === ""
}

const modelPath = modulePath("./my-model.ts")
const modelPlace = v.lazy((input) =>
  typeof input === "object" && input !== null ? fields({ builtin: flag }) : modelPath,
)

/** The content of the configuration file. */
export const fileSchema = fields({
  host: v.exactOptional(SHARED_SETTINGS.host),
  port: v.exactOptional(SHARED_SETTINGS.port),
  data: v.exactOptional(SHARED_SETTINGS.data),
  database: v.exactOptional(SHARED_SETTINGS.database),
  listenDatabase: v.exactOptional(SHARED_SETTINGS.listenDatabase),
  readDatabase: v.exactOptional(SHARED_SETTINGS.readDatabase),
  artifacts: v.exactOptional(SHARED_SETTINGS.artifacts),
  role: v.exactOptional(SHARED_SETTINGS.role),
  publicUrl: v.exactOptional(SHARED_SETTINGS.publicUrl),
  metrics: v.exactOptional(SHARED_SETTINGS.metrics),
  metricsHost: v.exactOptional(SHARED_SETTINGS.metricsHost),
  metricsPort: v.exactOptional(SHARED_SETTINGS.metricsPort),
  logLevel: v.exactOptional(SHARED_SETTINGS.logLevel),
  console: v.exactOptional(flag),
  currency: v.exactOptional(currencyName),
  reference: v.exactOptional(flag),
  mcp: v.exactOptional(flag),
  openai: v.exactOptional(flag),
  retentionMs: v.exactOptional(wholeNumber(1_000, LONGEST_MS)),
  stopGraceMs: v.exactOptional(wholeNumber(0, DAY_MS)),
  models: v.exactOptional(v.array(modelPlace, "expected a list of files and folders")),
  prices: v.exactOptional(priceBook),
  accounts: v.exactOptional(fields({ defaults: accountDefaultsSchema })),
  channels: v.exactOptional(channelsSchema),
  contentRefusals: v.exactOptional(
    v.picklist(["final", "ask-others"], 'expected "final" or "ask-others"'),
  ),
  verifyReads: v.exactOptional(v.boolean("expected true or false")),
  engine: v.exactOptional(
    fields({
      endAfterMs: v.exactOptional(wholeNumber(1_000, LONGEST_MS)),
      maxAttempts: v.exactOptional(wholeNumber(1, 1_000)),
      graceMs: v.exactOptional(wholeNumber(0, 60_000)),
      removeAfterMs: v.exactOptional(wholeNumber(1, LONGEST_MS)),
      inputRetentionMs: v.exactOptional(wholeNumber(1_000, LONGEST_MS)),
      adoptionHoldMs: v.exactOptional(wholeNumber(1, LONGEST_MS)),
      queueUnavailable: v.exactOptional(flag),
    }),
  ),
  studio: v.exactOptional(
    fields({
      workers: v.exactOptional(wholeNumber(1, 256)),
      concurrency: v.exactOptional(wholeNumber(1, 10_000)),
      sandbox: v.exactOptional(SHARED_SETTINGS.sandbox),
    }),
  ),
  media: v.exactOptional(fields(addresses)),
  checkpoints: v.exactOptional(
    fields({
      keys: v.exactOptional(v.array(text, "expected a list of public keys")),
      copies: v.exactOptional(v.array(checkpointCopy, "expected a list of files and addresses")),
    }),
  ),
  archive: v.exactOptional(fields({ afterMs: v.exactOptional(wholeNumber(1_000, LONGEST_MS)) })),
  webhooks: v.exactOptional(
    fields({ ...addresses, endpointsPerAccount: v.exactOptional(wholeNumber(1, 1_000)) }),
  ),
})

export type ConfigurationFile = v.InferOutput<typeof fileSchema>
