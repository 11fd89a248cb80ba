/**
 * The bodies of the Gemini API, by Google's own client, whose converters name what this API does not take
 * although Vertex does: `generateAudio`, `outputMimeType` and others. Such a member is answered 400.
 */
import * as v from "valibot"
import { bodyOf, integerOf, listOf, numberOf, oneOf, type BodySchema } from "../frame/body-fault.ts"

const BASE64 = v.pipe(v.string(), v.nonEmpty(), v.base64())
const INLINE = bodyOf({ mimeType: v.string(), data: BASE64 })
const FILE = bodyOf({ fileUri: v.string() }, { mimeType: v.string() })
const PART = bodyOf(
  {},
  {
    text: v.string(),
    inlineData: INLINE,
    fileData: FILE,
    mediaResolution: v.looseObject({}),
    thought: v.boolean(),
    thoughtSignature: v.string(),
    videoMetadata: v.looseObject({}),
  },
)
const CONTENT = bodyOf({ parts: listOf(PART, 1, 1_000) }, { role: oneOf("user", "model") })
const SAFETY = bodyOf({ category: v.string(), threshold: v.string() })

const IMAGE_CONFIG = bodyOf(
  {},
  {
    aspectRatio: oneOf(
      "1:1",
      "2:3",
      "3:2",
      "3:4",
      "4:3",
      "4:5",
      "5:4",
      "9:16",
      "16:9",
      "21:9",
      "1:4",
      "4:1",
      "1:8",
      "8:1",
    ),
    imageSize: oneOf("512", "1K", "2K", "4K"),
  },
)

const GENERATION_CONFIG = bodyOf(
  {},
  {
    candidateCount: integerOf(1, 8),
    imageConfig: IMAGE_CONFIG,
    maxOutputTokens: integerOf(1, 1_000_000),
    mediaResolution: v.string(),
    responseMimeType: v.string(),
    responseModalities: listOf(oneOf("TEXT", "IMAGE", "AUDIO"), 0, 3),
    seed: v.pipe(v.number(), v.integer()),
    stopSequences: v.array(v.string()),
    temperature: numberOf(0, 2),
    thinkingConfig: v.looseObject({}),
    topK: v.number(),
    topP: numberOf(0, 1),
  },
)

export const CONTENT_BODY: BodySchema = bodyOf(
  { contents: listOf(CONTENT, 1, 1_000) },
  {
    generationConfig: GENERATION_CONFIG,
    safetySettings: v.array(SAFETY),
    systemInstruction: v.looseObject({}),
    toolConfig: v.looseObject({}),
    tools: v.array(v.looseObject({})),
    cachedContent: v.string(),
  },
)

const PERSONS = oneOf("dont_allow", "allow_adult", "allow_all")

/** Imagen's. */
export const PICTURE_BODY: BodySchema = bodyOf(
  { instances: listOf(bodyOf({ prompt: v.string() }), 1, 1) },
  {
    parameters: bodyOf(
      {},
      {
        aspectRatio: oneOf("1:1", "3:4", "4:3", "9:16", "16:9"),
        personGeneration: PERSONS,
        sampleCount: integerOf(1, 4),
        sampleImageSize: oneOf("1K", "2K"),
      },
    ),
  },
)

const PICTURE = bodyOf({ bytesBase64Encoded: BASE64, mimeType: v.string() })
const REFERENCE = bodyOf({ image: PICTURE, referenceType: oneOf("asset", "style") })

/** Veo's. */
export const FILM_BODY: BodySchema = bodyOf(
  {
    instances: listOf(
      bodyOf(
        {},
        {
          prompt: v.string(),
          image: PICTURE,
          lastFrame: PICTURE,
          referenceImages: listOf(REFERENCE, 1, 3),
          video: v.looseObject({}),
        },
      ),
      1,
      1,
    ),
  },
  {
    parameters: bodyOf(
      {},
      {
        aspectRatio: oneOf("16:9", "9:16"),
        durationSeconds: v.picklist([4, 6, 8]),
        negativePrompt: v.string(),
        personGeneration: PERSONS,
        resolution: oneOf("720p", "1080p", "4k"),
        sampleCount: integerOf(1, 4),
        seed: integerOf(0, 4_294_967_295),
      },
    ),
    webhookConfig: v.looseObject({}),
  },
)
