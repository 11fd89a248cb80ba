/**
 * What `serve` prints for people before the line `listening on …`: on the first start the key, which is shown only
 * then, and shell lines to try each model; on later starts how to get another key. People paste the lines into a
 * shell: a key is base62 and a URL is checked, a body and the path of the file that holds the key are quoted, and a
 * model's title is the text of a comment, without a line break.
 */
import { toArtifactKey, toMainKind, type Model, type NewKey } from "@safelight/core"

export interface FirstStart {
  readonly key: NewKey
  /** Where clients reach the service. */
  readonly url: string
  /** Signs its first visitor in, within a quarter of an hour. Absent where others may read the text, or without console. */
  readonly signInUrl?: string
  /** The file that holds the key; absent if the key is shown. */
  readonly file?: string
  readonly hasReference: boolean
  /** What the service serves. */
  readonly models: readonly Model[]
}

interface Example {
  readonly title: string
  readonly model: string
  readonly parameters: unknown
  readonly artifact: string
  readonly file: string
}

/** A sun over the sea, 32 × 32 pixels: something to edit that fits on a line. */
const SAMPLE_IMAGE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAACVBMVEXWKCj1yHgUHij61eAhAAAAVUlEQVQY043LsQ2AMAxE0aNIQ58lmIIRXIT9XEY3JT6HJgKh/OrJOuN6wiKsDDSgJgwoCUQTmlADJpRPnML2j9cXXdgJduEIUOAE10Tomgj0OCSyFdwnvk7a3BCkTQAAAABJRU5ErkJggg=="

const EXAMPLES: readonly Example[] = [
  {
    title: "text to image",
    model: "vendor-a/v4.1/flash/text-to-image",
    parameters: { prompt: "a lighthouse in the fog", size: "landscape_16_9" },
    artifact: "image_1",
    file: "lighthouse.png",
  },
  {
    title: "image edit",
    model: "vendor-b/imagine-image/v2.0/edit",
    parameters: { prompt: "warm", image_urls: [SAMPLE_IMAGE] },
    artifact: "image_1",
    file: "edited.jpg",
  },
  {
    title: "reference to video",
    model: "vendor-c/video-2.5/reference-to-video",
    parameters: { prompt: "waves at night", resolution: "480p", duration: 4 },
    artifact: "video",
    file: "waves.mp4",
  },
]

/** Ends in a line break. */
export function formatFirstStart(start: FirstStart): string {
  const {
    file,
    hasReference,
    key: { account, key },
    models,
    signInUrl,
    url,
  } = start
  const opening = `This is the first start on an empty database. API key of account "${account}"`
  const shown =
    file === undefined
      ? [`${opening}, shown only now:`, "", `  ${key}`]
      : [
          `${opening}, in a file for its owner alone; remove it once the key is kept elsewhere:`,
          "",
          file,
        ]
  const header =
    file === undefined
      ? `'Authorization: Bearer ${key}'`
      : `"Authorization: Bearer $(cat ${quote(file)})"`
  const examples = listExamples(models)
  const lines = examples.flatMap((example) => toLines(example, header, url))
  const taker = hasReference ? "/docs" : "/v1/models"
  const others = models.filter(({ id }) => examples.every(({ model }) => model !== id))
  const more = others.length > MOST_NAMED ? [`and ${others.length - MOST_NAMED} more`] : []
  const names = [...others.slice(0, MOST_NAMED).map(({ id }) => id), ...more]
  const own =
    names.length === 0 ? [] : ["", `${url}${taker} tells what these take: ${names.join(", ")}`]
  const page =
    signInUrl === undefined
      ? []
      : ["", "Open the console; this link works once, for 15 minutes:", "", `  ${signInUrl}`]
  const what = examples === EXAMPLES ? "each of the three models" : "a model"
  const title = examples.length === 0 ? [] : ["", `Try ${what}; submit, poll, download:`]
  return [...shown, ...page, ...title, ...lines, ...own, "", ""].join("\n")
}

/** As many models are named, and tried, at most. */
const MOST_NAMED = 20
const MOST_TRIED = 3

/** Of the three if they are served; else the first examples that the models' files give. */
function listExamples(models: readonly Model[]): readonly Example[] {
  const isServed = (id: string): boolean => models.some((model) => model.id === id)
  if (EXAMPLES.every(({ model }) => isServed(model))) return EXAMPLES
  return models.flatMap((model) => toExample(model) ?? []).slice(0, MOST_TRIED)
}

/** Undefined if the file gives none that fits on a line. */
function toExample(model: Model): Example | undefined {
  const parameters = model.examples?.[0]
  if (parameters === undefined || JSON.stringify(parameters).length > MOST_CHARACTERS)
    return undefined
  const artifact = toArtifactKey(toMainKind(model), 1)
  const title = model.title ?? model.id
  return { title, model: model.id, parameters, artifact, file: artifact }
}

const MOST_CHARACTERS = 1_000

/** Quotes for a shell. */
function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

export const WORKER_TEXT =
  "carries tasks out and serves no API; /healthz and /readyz tell how it is\n"

/** Printed if directives are obeyed; without a setting only a start on new data obeys them. */
export const SANDBOX_TEXT =
  "The sandbox is on: a prompt with [studio: fail no_output] fails so. Later starts need --sandbox.\n"

export const LATER_START_TEXT =
  "API keys are shown once; `safelight keys create --account NAME` makes another.\n"

/** Lines to submit, poll and download. A failed task, or a service that is gone, ends the polling too. */
function toLines(example: Example, header: string, url: string): readonly string[] {
  const curl = `curl -s -H ${header}`
  const body = JSON.stringify({ model: example.model, parameters: example.parameters })
  const task = `${url}/v1/tasks/$TASK`
  return [
    "",
    `# ${example.title.replaceAll(/\s+/g, " ")}`,
    `TASK=$(${curl} -H 'Content-Type: application/json' ${url}/v1/tasks -d ${quote(body)} | sed -n 's/.*"task_id":"\\([^"]*\\)".*/\\1/p')`,
    `while [ -n "$TASK" ] && S=$(${curl} -f ${task}) && ! echo "$S" | grep -E '"status":"(succeeded|failed)"'; do sleep 2; done`,
    `${curl} -f -o ${example.file} ${task}/artifacts/${example.artifact}/content`,
  ]
}
