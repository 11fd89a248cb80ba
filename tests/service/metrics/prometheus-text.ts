/**
 * A strict reader of Prometheus' text format 0.0.4, as its documentation has it: what a lenient one
 * would overlook (a series twice, a family in two places, buckets that fall) is an error here.
 */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const VALUE = String.raw`[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN`
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (${VALUE})$`)
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/
const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"]

/** Families by name. Throws with the line that is wrong. */
export function parsePrometheusText(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end")
  const reader = createReader()
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [kind, name, words] = parseComment(line)
    if (kind === "HELP") reader.help(name, words)
    else if (kind === "TYPE") reader.type(name, words)
    else reader.sample(line)
  }
  for (const each of reader.families.values()) checkFamily(each)
  return reader.families
}

/** Of a sample: empty texts. */
function parseComment(line: string): readonly [kind: string, name: string, words: string] {
  const [, kind = "", name = "", words = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
  return [kind, name, words]
}

interface ReadFamily extends Family {
  readonly samples: Sample[]
}

/** HELP, TYPE, samples; then the next family. */
function createReader() {
  const families = new Map<string, ReadFamily>()
  let told: { readonly name: string; readonly words: string } | undefined
  let family: ReadFamily | undefined
  return {
    families,
    help(name: string, words: string) {
      if (told !== undefined || families.has(name)) throw new Error(`${name} is told twice`)
      told = { name, words }
    },
    type(name: string, type: string) {
      if (told?.name !== name || !TYPES.includes(type)) throw new Error(`${name} is no ${type}`)
      family = { name, type, help: told.words, samples: [] }
      families.set(name, family)
      told = undefined
    },
    sample(line: string) {
      if (family === undefined || told !== undefined) throw new Error(`of no family: ${line}`)
      family.samples.push(parseSample(line, family))
    },
  }
}

function parseSample(line: string, family: Family): Sample {
  const [, name, labelText = "", value] = SAMPLE.exec(line) ?? []
  if (name === undefined || value === undefined || !isOf(family, name)) {
    throw new Error(`no sample of ${family.name}: ${line}`)
  }
  return { name, labels: parseLabels(labelText), value: toNumber(value) }
}

function isOf({ name, type }: Family, sample: string): boolean {
  const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
  return suffixes.some((suffix) => sample === name + suffix)
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  let rest = text
  while (rest !== "") {
    const [whole, label, written] = LABEL.exec(rest) ?? []
    if (whole === undefined || label === undefined || written === undefined || label in labels) {
      throw new Error(`a label is wrong: ${rest}`)
    }
    labels[label] = written.replaceAll(/\\(.)/g, (_, char) => (char === "n" ? "\n" : char))
    rest = rest.slice(whole.length)
  }
  return labels
}

function toNumber(text: string | undefined): number {
  return Number((text ?? "").replace("Inf", "Infinity"))
}

function checkFamily({ name, type, samples }: Family): void {
  const seen = new Set(samples.map((each) => toIdentity(each, [])))
  if (seen.size !== samples.length) throw new Error(`${name} has a series twice`)
  if (type === "counter") {
    if (!name.endsWith("_total")) throw new Error(`${name} is a counter without _total`)
    if (samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is negative`)
  }
  if (type === "histogram") checkHistogram(name, samples)
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(samples, (each) => toIdentity({ ...each, name }, ["le"]))
  for (const [identity, all] of series) {
    const buckets = all.filter((each) => each.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => toNumber(labels["le"]))
    const counts = buckets.map(({ value }) => value)
    const count = all.find((each) => each.name === `${name}_count`)?.value
    const hasSum = all.some((each) => each.name === `${name}_sum`)
    if (!isRising(bounds, false) || !isRising(counts, true)) throw new Error(`${identity} falls`)
    if (bounds.at(-1) !== Infinity || counts.at(-1) !== count || !hasSum) {
      throw new Error(`${identity} is not whole`)
    }
  }
}

function isRising(values: readonly number[], mayStand: boolean): boolean {
  return values.every((value, at) => {
    const before = values[at - 1] ?? -Infinity
    return mayStand ? value >= before : value > before
  })
}

function toIdentity({ name, labels }: Sample, without: readonly string[]): string {
  const kept = Object.entries(labels).filter(([label]) => !without.includes(label))
  return `${name}${JSON.stringify(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)))}`
}

/** The value of the one sample with this name and all of these labels; undefined where there is none. */
export function readSample(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count)$/, ""))
  const found = (family?.samples ?? []).filter(
    (each) =>
      each.name === name &&
      Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  )
  if (found.length > 1) throw new Error(`${name} ${JSON.stringify(labels)} names ${found.length}`)
  return found[0]?.value
}
