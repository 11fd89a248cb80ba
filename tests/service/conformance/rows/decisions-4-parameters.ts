/** HTTP decisions §4: what parameters mean where the specification leaves it open. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  dispatch,
  errors,
  jsonBody,
  largeBodies,
  mediaUrl,
  nodeServer,
  parameters,
  requests,
  serverLimits,
  studio,
} from "./test-files.ts"

const DOUBLED = "a colour in its doubled form > is flattened:"
const MIXTURE = "a colour in a mixture of its forms > refuses"
const LIMITS =
  "the limits > of bodies are 64 MiB for one and 512 MiB for all, of a data URL 20 MiB, of a URL 8,192"

export const PARAMETER_RULES: ConformanceSection = {
  document: "HTTP decisions",
  section: "§4",
  title: "Parameters",
  rows: [
    {
      row: "A character is a code point: 10,000 × 💩 is accepted, 10,001 refused",
      tests: [
        ...requests(
          "a prompt > of 10,000 characters is taken where each is four bytes, and one more is refused",
        ),
        ...parameters(
          "the prompt of text to image > accepts 10,000 code points of two units",
          "the prompt of text to image > refuses 10,001 code points of two units",
        ),
      ],
    },
    {
      row: "No trimming",
      tests: [
        ...requests("a prompt > is kept as it was sent with blanks around it, and replayed"),
        ...parameters("the prompt of text to image > accepts a blank, untrimmed"),
      ],
    },
    {
      row: "No normalisation",
      tests: [
        ...requests(
          "a prompt > is kept as it was sent with letters that compose to others, and replayed",
        ),
        ...parameters(
          "the prompt of text to image > refuses 10,001 code points that compose to fewer",
        ),
      ],
    },
    {
      row: "U+0000 is legal, and stored",
      tests: requests("a prompt > is kept as it was sent with U+0000, and replayed"),
    },
    {
      row: 'The edit prompt is required and may be `""`',
      tests: parameters(
        "the parameters of the edit > refuses neither of the required",
        "the parameters of the edit > accepts an empty prompt",
      ),
    },
    {
      row: "The video prompt takes up to 1,000,000 code points",
      tests: parameters(
        "the parameters of reference to video > accepts a prompt of a million characters",
        "the parameters of reference to video > refuses a prompt of a million and one characters",
      ),
    },
    {
      row: "`parameters` missing is one error, on `parameters`",
      tests: requests(
        "a creation > of vendor-a/v4.1/flash/text-to-image without parameters is one error",
        "a creation > of vendor-b/imagine-image/v2.0/edit without parameters is one error",
        "a creation > of vendor-c/video-2.5/reference-to-video without parameters is one error",
      ),
    },
    {
      row: "A colour's components are 0 when absent: `{}` is black",
      tests: parameters(`${DOUBLED} {} is black`, `${DOUBLED} a part is completed`),
    },
    {
      row: "The doubled `background_color` is accepted, and flattened",
      tests: parameters(`${DOUBLED} doubled`, `${DOUBLED} doubled and empty`),
    },
    {
      row: "The doubled `colors` is accepted, and flattened in order",
      tests: parameters(
        `${DOUBLED} a doubled palette`,
        `${DOUBLED} both forms beside each other, in order`,
        `${DOUBLED} an empty doubled palette`,
      ),
    },
    {
      row: "Only as the only key: a mixture is `unknown_parameter`",
      tests: parameters(
        `${MIXTURE} the doubled form beside a component`,
        `${MIXTURE} a doubled item beside a component`,
        `${MIXTURE} a form nested thrice`,
        `${MIXTURE} items nested thrice`,
        `${MIXTURE} the palette's name in a colour`,
      ),
    },
    {
      row: "`enable_safety_checker: false` is accepted",
      tests: parameters(
        "the other parameters of text to image > accepts enable_safety_checker false",
      ),
    },
    {
      row: "A provider's refusal of it appears as a failed task",
      tests: [
        ...studio(
          "the sandbox > require-checker refuses only a request with the safety checker off",
        ),
        ...dispatch(
          "a dispatch > fails with the channel's refusal, charged only where the channel was billed",
        ),
      ],
    },
    {
      row: "`sync_mode: true` is `invalid_value`",
      tests: parameters("the parameters of the edit > refuses sync_mode true"),
    },
    {
      row: "Video arrays may be empty",
      tests: parameters(
        "the parameters of reference to video > accepts no image_urls",
        "the parameters of reference to video > accepts no video_urls",
        "the parameters of reference to video > accepts no audio_urls",
      ),
    },
    {
      row: "Edit `image_urls` has 1 to 5 items",
      tests: parameters(
        "the parameters of the edit > refuses no image",
        "the parameters of the edit > accepts one image",
        "the parameters of the edit > refuses six images",
      ),
    },
    {
      row: "Duplicates are fine, also of data URLs",
      tests: [
        ...requests("a creation > may hold the same data URL five times, and keeps all five"),
        ...largeBodies(
          "a large body > is answered byte for byte as one read in place, whatever it holds",
        ),
      ],
    },
    {
      row: "Data URLs are PNG, JPEG or WebP in base64",
      tests: mediaUrl(
        'a data URL > "data:image/jpeg;base64,AAAA" is accepted',
        'a data URL > "data:image/gif;base64,AAAA" is invalid_data_url',
        'a data URL > "data:image/PNG;base64,AAAA" is invalid_data_url',
        'a data URL > "data:image/png;charset=utf-8;base64,AAAA" is invalid_data_url',
      ),
    },
    {
      row: "Their base64 is canonical",
      tests: mediaUrl(
        "a data URL > is accepted exactly where its base64 is what an encoder writes",
        "a data URL > ends in a digit whose unused bits are zero, whichever of the 64 it is",
      ),
    },
    {
      row: "Their size counts as decoded, to the byte",
      tests: mediaUrl("a data URL > holds at most 20 MiB once decoded, to the byte"),
    },
    {
      row: "By matching type they are taken for the video's references too",
      tests: [
        ...mediaUrl("a data URL > is accepted for the types of its kind and for no other"),
        ...parameters(
          "the parameters of reference to video > accepts a video as a data URL",
          "the parameters of reference to video > refuses an image among the videos",
        ),
      ],
    },
    {
      row: "Limits: body 64 MiB, data URL 20 MiB, URL 8,192 characters, 512 MiB in flight",
      tests: serverLimits(LIMITS),
    },
    {
      row: "A URL of 8,192 characters is taken, one more is not",
      tests: mediaUrl(
        "an address > of 8,192 characters is accepted, of one more refused, counted in code points",
      ),
    },
    {
      row: "Past the bodies in flight it is 503",
      tests: nodeServer(
        "the Node server > refuses bodies past what it may hold at once, and takes them again later",
      ),
    },
    {
      row: "UTF-8 is decoded strictly",
      tests: [
        ...errors("errors > answers 400 invalid_json where the body is not UTF-8"),
        ...jsonBody("scanJson > reads any text to its end"),
      ],
    },
    {
      row: "A byte order mark is tolerated",
      tests: requests("a creation > may begin with a byte order mark"),
    },
  ],
}
