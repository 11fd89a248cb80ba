/** Runware's tasks, by its API documents. */
import * as v from "valibot"
import {
  bodyOf,
  integerOf,
  listOf,
  MEDIA_URL,
  numberOf,
  oneOf,
  textOf,
  WEB_URL,
  type BodySchema,
} from "../frame/body-fault.ts"

const UUID = v.pipe(
  v.string(),
  v.regex(/^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i, "not a UUID"),
)
/** A URL, a data URL, or the UUID of an upload. */
const MEDIUM = v.union([MEDIA_URL, UUID])
/** The most characters of a prompt. */
const MOST = 3_000

const COMMON = {
  deliveryMethod: oneOf("sync", "async"),
  includeCost: v.boolean(),
  numberResults: integerOf(1, 20),
  outputFormat: oneOf("JPG", "PNG", "WEBP", "MP4", "WEBM", "MOV"),
  outputQuality: integerOf(20, 99),
  outputType: oneOf("URL", "base64Data", "dataURI"),
  seed: v.pipe(v.number(), v.integer()),
  ttl: v.number(),
  uploadEndpoint: WEB_URL,
  webhookURL: WEB_URL,
  negativePrompt: textOf(0, MOST),
  providerSettings: v.looseObject({}),
  safety: bodyOf({}, { checkContent: v.boolean(), mode: oneOf("none", "fast", "full") }),
}

const IMAGE = bodyOf(
  {
    taskType: v.literal("imageInference"),
    taskUUID: UUID,
    model: v.pipe(v.string(), v.nonEmpty()),
    positivePrompt: textOf(2, MOST),
  },
  {
    ...COMMON,
    width: v.pipe(integerOf(128, 2_048), v.multipleOf(16)),
    height: v.pipe(integerOf(128, 2_048), v.multipleOf(16)),
    steps: integerOf(1, 100),
    CFGScale: numberOf(0, 50),
    scheduler: v.string(),
    strength: numberOf(0, 1),
    checkNSFW: v.boolean(),
    referenceImages: listOf(MEDIUM, 1, 16),
    seedImage: MEDIUM,
    maskImage: MEDIUM,
    inputs: v.looseObject({}),
    settings: v.looseObject({}),
    lora: v.array(v.looseObject({})),
  },
)

const FRAME = bodyOf({ image: MEDIUM }, { frame: v.union([oneOf("first", "last"), v.number()]) })

const FILM = bodyOf(
  {
    taskType: v.literal("videoInference"),
    taskUUID: UUID,
    model: v.pipe(v.string(), v.nonEmpty()),
    positivePrompt: textOf(2, MOST),
  },
  {
    ...COMMON,
    width: integerOf(256, 4_096),
    height: integerOf(256, 4_096),
    resolution: oneOf("480p", "720p", "1080p"),
    duration: numberOf(1, 30),
    fps: integerOf(15, 60),
    settings: v.looseObject({ audio: v.optional(v.boolean()) }),
    inputs: bodyOf(
      {},
      {
        frameImages: listOf(FRAME, 1, 2),
        referenceImages: listOf(MEDIUM, 1, 30),
        referenceVideos: listOf(MEDIUM, 1, 10),
        referenceAudios: listOf(MEDIUM, 1, 10),
      },
    ),
  },
)

/** Whose inputs are each model's own. */
function anyOf(taskType: string): BodySchema {
  return v.looseObject({
    taskType: v.literal(taskType),
    taskUUID: UUID,
    model: v.pipe(v.string(), v.nonEmpty()),
    positivePrompt: v.optional(textOf(2, MOST)),
  })
}

export const RUNWARE_TASKS: Readonly<Record<string, BodySchema>> = {
  imageInference: IMAGE,
  videoInference: FILM,
  audioInference: anyOf("audioInference"),
  "3dInference": anyOf("3dInference"),
}
