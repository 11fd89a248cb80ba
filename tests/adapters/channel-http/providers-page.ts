/**
 * The reference page of the built-in providers, made of their declarations: the facts are members of a
 * declaration, its requests are tried for what it does not take, and its file's first comment is the prose.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { PROVIDERS, type Provider, type ProviderModel } from "@safelight/channel-http"
import { imageEdit, referenceToVideo, textToImage } from "@safelight/core"
import { ROOT } from "../../architecture/workspaces.ts"

const FOLDER = join(ROOT, "adapters/channel-http")

export const PAGE = join(FOLDER, "docs/providers.md")

const TITLE = `# Providers

The types of channels in [the configuration](../../../packages/safelight/docs/configuration.md#channels), tested against
[stubs](../../../packages/testkit/README.md#stub-providers), not yet against live accounts. Each model is followed by what it may
not be asked for, and each section ends with the unit of the charges and with what is assumed.

If the answer to a purchase is lost, a keyed provider is sent it again under the same key, and one with a lookup is asked whether
it has the work. At an unkeyed one the purchase is in doubt: a signed callback may still name it, or its task fails uncharged at
its end.
`

const MODELS: Readonly<Record<string, string>> = {
  [textToImage.id]: "Text to image",
  [imageEdit.id]: "Edit",
  [referenceToVideo.id]: "Video",
}

export function toProvidersPage(): string {
  return [TITLE, ...Object.values(PROVIDERS).map(toSection)].join("\n")
}

function toSection(provider: Provider): string {
  const { models, name, title = name } = provider
  const made = Object.entries(models).map(([id, model]) => toModelLine(id, model))
  const parts = [`## ${title}`, toFacts(provider), made.join("\n"), readProse(name)]
  return `${parts.join("\n\n")}\n`
}

function toFacts(provider: Provider): string {
  const { baseUrl, cancel, check, keyVariable, name, outputHosts, webhook } = provider
  const address = baseUrl === undefined ? "with a `baseUrl`" : `at \`${baseUrl}\``
  const hosts = outputHosts.map((host) => `\`${host}\``).join(", ") || "there"
  const signed = webhook?.scheme.kind === "none" ? "unsigned" : "signed"
  const abilities = [
    REPEATS[provider.submission.kind],
    ...(webhook === undefined ? [] : [`${signed} callbacks`]),
    ...(cancel === undefined ? [] : ["cancels"]),
    ...(check === undefined ? [] : ["keys can be checked"]),
  ]
  const place = `Type \`${name}\`, key in \`${keyVariable}\`, ${address}; outputs from ${hosts}.`
  return `${place} ${abilities.join(", ")}.`
}

const REPEATS: Readonly<Record<Provider["submission"]["kind"], string>> = {
  keyed: "Keyed",
  "keyed-unstated": "Keyed if `keyTtlMs` is set",
  lookup: "Lookup",
  unkeyed: "Unkeyed",
}

function toModelLine(id: string, model: ProviderModel): string {
  const { upstream } = model
  const refused = listRefusals(id, model)
  const by = upstream === undefined ? "" : ` by \`${upstream}\``
  const but = refused.length === 0 ? "." : `: ${refused.join(", ")}.`
  return `- ${MODELS[id] ?? id}${by}${but}`
}

const urls = (count: number, url = "https://media.example/1"): readonly string[] =>
  Array.from({ length: count }, () => url)
const picks = (param: string, values: readonly unknown[]): readonly object[] =>
  values.map((value) => ({ [param]: value }))

/** By model: requests of which each provider takes one, and changes to it that some provider does not take. */
const PROBES: Readonly<
  Record<string, { readonly taken: readonly object[]; readonly changes: readonly object[] }>
> = {
  [textToImage.id]: {
    taken: [{ prompt: "fog", size: "square_hd", enable_safety_checker: true, colors: [] }],
    changes: [
      ...picks("size", [
        "square",
        "portrait_4_3",
        "portrait_16_9",
        "landscape_4_3",
        "landscape_16_9",
      ]),
      { colors: [{ r: 0, g: 0, b: 0 }] },
      { background_color: { r: 0, g: 0, b: 0 } },
      { enable_safety_checker: false },
      { prompt: "a" },
    ],
  },
  [imageEdit.id]: {
    taken: ["auto", "1:1"].map((aspect_ratio) => {
      const common = {
        prompt: "fog",
        image_urls: urls(1),
        output_format: "jpeg",
        quality: "medium",
      }
      return { ...common, aspect_ratio, resolution: "1k", count: 1, sync_mode: false }
    }),
    changes: [
      { prompt: "" },
      ...picks("image_urls", [urls(2), urls(4), urls(5)]),
      ...picks("output_format", ["png", "webp"]),
      ...picks("quality", ["low"]),
      { quality: "low", image_urls: urls(5) },
      { resolution: "2k" },
      ...picks("aspect_ratio", ["auto", "16:9"]),
      { aspect_ratio: "20:9", resolution: "2k" },
      { count: 2 },
    ],
  },
  [referenceToVideo.id]: {
    taken: [{ prompt: "fog" }, { prompt: "fog", image_urls: urls(1) }],
    changes: [
      { prompt: "" },
      { prompt: "", image_urls: [] },
      ...picks("resolution", ["480p", "1080p"]),
      ...picks("duration", [16]),
      ...picks("aspect_ratio", ["21:9", "4:3"]),
      ...picks("image_urls", [[], urls(4), urls(8), urls(10)]),
      ...picks("video_urls", [urls(1), urls(4), urls(1, "data:video/mp4;base64,AAAA")]),
      ...picks("audio_urls", [urls(1), urls(4), urls(1, "data:audio/wav;base64,AAAA")]),
      { image_urls: urls(1), duration: 11 },
      { image_urls: urls(1), resolution: "1080p" },
      { image_urls: urls(1), aspect_ratio: "16:9" },
      { image_urls: urls(1, "data:image/png;base64,AAAA") },
      { generate_audio: false },
      { bitrate_mode: "high" },
    ],
  },
}

/** Why a model does not take what the provider can't express. */
function listRefusals(id: string, { accepts }: ProviderModel): readonly string[] {
  const { changes = [], taken = [] } = PROBES[id] ?? {}
  const judge = (parameters: object) => accepts?.({ ...parameters }, { canLink: false }) ?? true
  const base = taken.find((parameters) => judge(parameters) === true)
  const verdicts = changes.map((change) => judge({ ...base, ...change }))
  const reasons = verdicts.flatMap((verdict) => (verdict === true ? [] : verdict.reason))
  return [...new Set(reasons.map(shorten))]
}

/** A reason's forms, and what is said for each in a list of reasons. */
const SHORTER: readonly (readonly [form: RegExp, words: string])[] = [
  [/^the safety checker can't be turned off$/, "the safety checker stays on"],
  [/^(?:resolution |aspect ratio |a )?(.+?) (?:is|are) not offered(?: for it|( .+))?$/, "no $1$2"],
  [/^(?:a |the )?(.+) can't be (?:chosen|named|referred to)$/, "no $1"],
  [/^(.+) is smaller than any picture made here$/, "no $1"],
  [/^((?:at most|only) .+) (?:is|are) (?:made|offered|taken)( .+)?$/, "$1$2"],
  [/^(.+) is needed$/, "needs $1"],
  [/^(.+) are taken (by URL alone)$/, "$1 $2"],
]

function shorten(reason: string): string {
  const [form, words] = SHORTER.find(([each]) => each.test(reason)) ?? []
  return form === undefined || words === undefined ? reason : reason.replace(form, words)
}

/** The first comment of a provider's file. */
function readProse(name: string): string {
  const source = readFileSync(join(FOLDER, `src/providers/${name}.ts`), "utf8")
  const [, comment = ""] = /^\/\*\*\n([\s\S]*?)\n \*\/\n/.exec(source) ?? []
  return comment.replaceAll(/^ \* ?/gm, "")
}
