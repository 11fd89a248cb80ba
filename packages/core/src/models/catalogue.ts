/** The models served unless a host says otherwise (specification §1). */
import { imageEdit } from "./image-edit.ts"
import type { Model } from "./model.ts"
import { referenceToVideo } from "./reference-to-video.ts"
import { textToImage } from "./text-to-image.ts"

export const MODELS: readonly Model[] = [textToImage, imageEdit, referenceToVideo]
