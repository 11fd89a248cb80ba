/** Specification §2.4 and §2.5: the parameters of the two image models, field by field. */
import type { ConformanceSection } from "../conformance-row.ts"
import { accepts, bounded, DEFAULTS, within } from "./parameter-names.ts"
import { mediaUrl, parameters } from "./test-files.ts"

function image(...names: readonly string[]): readonly string[] {
  return within("the other parameters of text to image", ...names)
}

function edit(...names: readonly string[]): readonly string[] {
  return within("the parameters of the edit", ...names)
}

export const TEXT_TO_IMAGE: ConformanceSection = {
  document: "Specification",
  section: "§2.4",
  title: "Parameters of `vendor-a/v4.1/flash/text-to-image`",
  rows: [
    {
      row: "`prompt`: required, 1 to 10000 characters",
      tests: parameters(
        ...within(
          "the prompt of text to image",
          "refuses none",
          "refuses an empty one",
          "accepts one character",
          "accepts 10,000 characters",
          "refuses 10,001 characters",
          "refuses a number",
        ),
      ),
    },
    {
      row: "`size`: one of six, `square_hd` by default",
      tests: parameters(
        DEFAULTS,
        ...image(
          ...accepts("size", "square_hd", "square", "portrait_4_3", "portrait_16_9"),
          ...accepts("size", "landscape_4_3", "landscape_16_9"),
          "refuses size SQUARE_HD",
          "refuses size empty",
        ),
      ),
    },
    {
      row: "`size`: custom width and height are not accepted",
      tests: parameters(...image("refuses a custom size")),
    },
    {
      row: "`background_color`: an object of red, green and blue, without a default",
      tests: parameters(
        DEFAULTS,
        "a colour in its doubled form > is flattened: a part is completed",
        ...image("refuses a colour as a text"),
      ),
    },
    {
      row: "`enable_safety_checker`: boolean, `true` by default; it may be asked to be off",
      tests: parameters(
        DEFAULTS,
        ...image(
          ...accepts("enable_safety_checker", "true", "false"),
          "refuses enable_safety_checker as a text",
        ),
      ),
    },
    {
      row: "`colors`: an array of colours, `[]` by default",
      tests: parameters(
        DEFAULTS,
        "a colour in its doubled form > is flattened: a palette",
        ...image("refuses colors as one colour", "refuses a colour item as a number"),
      ),
    },
    {
      row: "`r`: integer from 0 to 255, 0 by default",
      tests: parameters(
        "a colour in its doubled form > is flattened: {} is black",
        ...image(...bounded("background_color.r", 0, 255)),
      ),
    },
    {
      row: "`g`: integer from 0 to 255, 0 by default",
      tests: parameters(
        "a colour in its doubled form > is flattened: {} is black",
        ...image(...bounded("background_color.g", 0, 255)),
      ),
    },
    {
      row: "`b`: integer from 0 to 255, 0 by default",
      tests: parameters(
        "a colour in its doubled form > is flattened: {} is black",
        ...image(...bounded("background_color.b", 0, 255)),
      ),
    },
    {
      row: "The paths with a repeated segment, of both colours, are read too",
      tests: parameters(
        "a colour in its doubled form > is flattened: doubled",
        "a colour in its doubled form > is flattened: a doubled palette",
      ),
    },
  ],
}

export const EDIT: ConformanceSection = {
  document: "Specification",
  section: "§2.5",
  title: "Parameters of `vendor-b/imagine-image/v2.0/edit`",
  rows: [
    {
      row: "`prompt`: required, at most 8000 characters",
      tests: parameters(
        ...edit(
          "refuses neither of the required",
          "accepts a prompt of 8,000 code points",
          "refuses a prompt of 8,001 code points",
        ),
      ),
    },
    {
      row: "`image_urls`: required, 1 to 5 items",
      tests: parameters(
        ...edit(
          "refuses neither of the required",
          "refuses no image",
          "accepts one image",
          "accepts five images, the same five times",
          "refuses six images",
        ),
      ),
    },
    {
      row: "`image_urls`: HTTP(S) URLs or base64 image data URLs",
      tests: mediaUrl(
        "an address > that is accepted is one that the URL standard can read, without credentials",
        "a data URL > is accepted for the types of its kind and for no other",
      ),
    },
    {
      row: "`output_format`: `jpeg`, `png` or `webp`, `jpeg` by default",
      tests: parameters(
        DEFAULTS,
        ...edit(...accepts("output_format", "jpeg", "png", "webp"), "refuses output_format JPEG"),
      ),
    },
    {
      row: "`quality`: `low` or `medium`, `medium` by default",
      tests: parameters(
        DEFAULTS,
        ...edit(...accepts("quality", "low", "medium"), "refuses a quality of other models"),
      ),
    },
    {
      row: "`resolution`: `1k` or `2k`, case-sensitive, `1k` by default",
      tests: parameters(
        DEFAULTS,
        ...edit(...accepts("resolution", "1k", "2k"), "refuses resolution 1K"),
      ),
    },
    {
      row: "`aspect_ratio`: one of fourteen, `auto` by default",
      tests: parameters(
        DEFAULTS,
        ...edit(
          ...accepts("aspect_ratio", "auto", "2:1", "20:9", "19.5:9", "16:9", "4:3", "3:2"),
          ...accepts("aspect_ratio", "1:1", "2:3", "3:4", "9:16", "9:19.5", "9:20", "1:2"),
          "refuses aspect_ratio with a blank",
        ),
      ),
    },
    {
      row: "`sync_mode`: only `false`, which is the default",
      tests: parameters(
        DEFAULTS,
        ...edit("accepts sync_mode false", "refuses sync_mode true", "refuses sync_mode null"),
      ),
    },
    {
      row: "`count`: integer from 1 to 4, 1 by default",
      tests: parameters(DEFAULTS, ...edit(...bounded("count", 1, 4))),
    },
  ],
}
