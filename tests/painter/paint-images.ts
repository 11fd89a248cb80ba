/**
 * Pictures and edits for tests, painted in this process. Parameters are checked by the models first, which
 * adds their defaults: the painter takes only what was checked.
 */
import assert from "node:assert/strict"
import {
  imageEdit,
  textToImage,
  type ImageEditParameters,
  type TextToImageParameters,
} from "@safelight/core"
import { renderEdit, renderPicture } from "@safelight/painter"

type Given = Readonly<Record<string, unknown>>

const ignore = (): void => {}

function check(model: typeof textToImage, given: Given): unknown {
  const checked = model.check(given)
  assert.ok(checked.kind === "valid", JSON.stringify(checked))
  return checked.parameters
}

export async function paintPicture(given: Given): Promise<Uint8Array> {
  const parameters = check(textToImage, { size: "square", ...given }) as TextToImageParameters
  return renderPicture(parameters, ignore)
}

/** One output a variation. */
export async function paintEdit(
  given: Given,
  files: readonly Uint8Array[],
): Promise<readonly Uint8Array[]> {
  const image_urls = files.map((_, index) => `https://media.test/${index}`)
  const parameters = check(imageEdit, { prompt: "", image_urls, ...given }) as ImageEditParameters
  const images = files.map((bytes) => async () => bytes)
  return renderEdit({ parameters, images, paint: ignore }, ignore)
}
