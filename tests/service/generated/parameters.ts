/**
 * Parameters of the three models as fast-check draws them: mostly right, and otherwise wrong by
 * little, since what is wrong by much is refused by the first check that looks. Whether a drawn
 * value is valid is not known here; the model says.
 */
import { DATA_URL_TYPES, MEDIA_URL_LIMITS, MODELS, type MediaKind } from "@safelight/core"
import * as fc from "fast-check"

type Drawn = fc.Arbitrary<unknown>
type Entry = readonly [name: string, value: unknown]

const [PICTURE, EDIT, VIDEO] = MODELS.map(({ id }) => id)

/** One in so many values is wrong: a request of five fields is then valid more often than not. */
const RIGHT_TO_WRONG = 24

const WRONG_TYPES = fc.constantFrom<unknown>(null, true, false, 0, 1.5, "", "x", [], {}, [[]])
const TRICKY_NAMES = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "Prompt",
  "prompt ",
  "",
  "a\u0000b",
  "\ud800",
  "n".repeat(99),
  "n".repeat(500),
  "💩".repeat(200),
)

function mostly(right: Drawn, ...wrong: readonly Drawn[]): Drawn {
  const others = fc.oneof(...wrong, WRONG_TYPES)
  return fc.oneof({ weight: RIGHT_TO_WRONG, arbitrary: right }, { weight: 1, arbitrary: others })
}

/** Mostly one of `values`; otherwise one spelled differently. */
function choice(...values: readonly string[]): Drawn {
  const right = fc.constantFrom(...values)
  return mostly(
    right,
    right.map((value) => value.toUpperCase()),
    right.map((value) => ` ${value}`),
    fc.constantFrom("a".repeat(400), "square\u0000"),
  )
}

/** Both sides of both bounds, and numbers that only look like integers. */
function integer(min: number, max: number): Drawn {
  const edges = fc.constantFrom(min, max)
  const wrong = fc.constantFrom<unknown>(
    min - 1,
    max + 1,
    min + 0.5,
    -0,
    1e21,
    Number.MAX_SAFE_INTEGER,
    String(min),
  )
  return mostly(fc.oneof(edges, fc.integer({ min, max })), wrong)
}

const FLAG = mostly(fc.boolean(), fc.constantFrom("true", 1))

/** Texts about as long as may be, counted in code points. */
function text(min: number, max: number): Drawn {
  const short = fc.oneof(
    fc.string({ unit: "grapheme", minLength: min, maxLength: 40 }),
    fc.string({ unit: "binary", minLength: min, maxLength: 40 }),
  )
  const full = fc.constantFrom("a".repeat(max), "💩".repeat(max), "\u0000".repeat(max))
  const wrong = fc.constantFrom("a".repeat(max + 1), "💩".repeat(max + 1), "", "\ud800", "a\udc00b")
  return fc.oneof({ weight: 12, arbitrary: mostly(short, wrong) }, { weight: 1, arbitrary: full })
}

const HTTP_URL = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom("http://a", "HTTPS://[::1]:65535/x", "https://ü.example/ö", "http://127.0.0.1/"),
)
const WRONG_URL = fc.constantFrom(
  "ftp://a/b",
  "http://user:secret@a/",
  "http://a:65536/",
  "http:// a/",
  "http://a\\b",
  "//a/b",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "http://a/\ud800",
  `http://a/${"x".repeat(MEDIA_URL_LIMITS.urlCharacters)}`,
)

function dataUrl(kind: MediaKind): Drawn {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })
  const right = fc
    .tuple(fc.constantFrom(...DATA_URL_TYPES[kind]), bytes)
    .map(([type, data]) => `data:${type};base64,${Buffer.from(data).toString("base64")}`)
  return mostly(
    right,
    right.map((url) => url.slice(0, -1)),
    right.map((url) => url.replace(";base64", "")),
    right.map((url) => url.replace("data:", "DATA:")),
    fc.constantFrom("data:image/svg+xml;base64,AAAA", "data:image/png;base64,", "data:"),
    // The last digit's unused bits are not zero.
    fc.constantFrom("data:image/png;base64,AB==", "data:image/png;base64,AAB="),
  )
}

function mediaUrls(kind: MediaKind, min: number, max: number): Drawn {
  const url = mostly(fc.oneof(HTTP_URL, dataUrl(kind)), WRONG_URL)
  const few = fc.array(url, { minLength: min, maxLength: 3 })
  const many = fc.constantFrom(min - 1, max, max + 1).map((length) => {
    return Array.from({ length: Math.max(0, length) }, (_, index) => `https://a.example/${index}`)
  })
  return mostly(few, many)
}

const COLOUR = mostly(
  record({ r: integer(0, 255), g: integer(0, 255), b: integer(0, 255) }),
  fc.constantFrom({ r: 1, a: 1 }, { R: 1 }, [1, 2, 3], "#123456"),
)

function doubled(name: string, inner: Drawn): Drawn {
  return inner.map((value) => ({ [name]: value }))
}

const COLOURS = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: COLOUR },
    { weight: 1, arbitrary: doubled("colors", fc.array(COLOUR, { maxLength: 3 })) },
  ),
  { maxLength: 4 },
)
/** Just below and just above the 10,000 values that a body may hold. */
const VERY_MANY = fc
  .integer({ min: 9_985, max: 10_005 })
  .map((length) => Array.from({ length }, () => ({})))
const VERY_DEEP = fc.integer({ min: 28, max: 34 }).map(nest)

const FIELDS: Readonly<Record<string, Readonly<Record<string, Drawn>>>> = {
  [PICTURE ?? ""]: {
    prompt: text(1, 10_000),
    size: choice("square_hd", "square", "portrait_4_3", "landscape_16_9"),
    background_color: fc.oneof(COLOUR, doubled("background_color", COLOUR)),
    enable_safety_checker: FLAG,
    colors: fc.oneof(
      { weight: 40, arbitrary: COLOURS },
      { weight: 1, arbitrary: mostly(COLOURS, VERY_MANY, VERY_DEEP) },
    ),
  },
  [EDIT ?? ""]: {
    prompt: text(0, 8_000),
    image_urls: mediaUrls("image", 1, 5),
    output_format: choice("jpeg", "png", "webp"),
    quality: choice("low", "medium"),
    resolution: choice("1k", "2k"),
    aspect_ratio: choice("auto", "19.5:9", "9:20"),
    sync_mode: mostly(fc.constant(false), fc.constant(true)),
    count: integer(1, 4),
  },
  [VIDEO ?? ""]: {
    prompt: text(0, 12_000),
    resolution: choice("480p", "1080p"),
    generate_audio: FLAG,
    duration: integer(4, 30),
    aspect_ratio: choice("21:9", "9:16"),
    image_urls: mediaUrls("image", 0, 30),
    video_urls: mediaUrls("video", 0, 10),
    audio_urls: mediaUrls("audio", 0, 10),
    bitrate_mode: choice("standard", "high"),
  },
}

/** A creation request as a value: `{model, parameters}`, or nearly. */
export const CREATION: Drawn = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...MODELS).chain(({ id }) => requestTo(id)) },
  { weight: 1, arbitrary: fc.jsonValue() },
)

function requestTo(id: string): Drawn {
  const unknown = fc.constantFrom(id.toUpperCase(), `${id} `, "", "gpt", "m".repeat(300), "\ud800")
  const parameters = record(FIELDS[id] ?? {}, ["prompt", "image_urls"])
  return record({ model: mostly(fc.constant(id), unknown), parameters: mostly(parameters) }, [
    "model",
    "parameters",
  ])
}

/**
 * An object of some of `values`, seldom without one of `needed`, seldom with a member too many.
 * Made from entries, so that `__proto__` is a member.
 */
function record(values: Readonly<Record<string, Drawn>>, needed: readonly string[] = []): Drawn {
  const members = Object.entries(values).map(([name, value]) => {
    const isNeeded = needed.includes(name)
    const freq = isNeeded ? RIGHT_TO_WRONG * 2 : 1
    return fc.option(
      value.map((drawn): Entry => [name, drawn]),
      { freq },
    )
  })
  const extra = fc.tuple(TRICKY_NAMES, WRONG_TYPES).map((entry): Entry => entry)
  return fc.tuple(...members, seldom(extra)).map((entries) => {
    return Object.fromEntries(entries.filter((entry): entry is Entry => entry !== null))
  })
}

function seldom<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof(
    { weight: RIGHT_TO_WRONG, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary },
  )
}

function nest(depth: number): unknown {
  let value: unknown = 0
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
