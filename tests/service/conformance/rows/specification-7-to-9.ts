/** Specification §7 to §9: errors, limits, what is billed, and versions. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  answers,
  artifactLinks,
  charge,
  errors,
  generatedRequests,
  links,
  parameters,
  retention,
  sweep,
} from "./test-files.ts"

const UNKNOWN_ROUTE =
  "errors > answers 404 route_not_found where the path is unknown, without a key"

const ERRORS: ConformanceSection = {
  document: "Specification",
  section: "§7",
  title: "Errors",
  rows: [
    {
      row: "`error.message`, `error.type` and `error.code` are strings",
      tests: [
        ...errors(UNKNOWN_ROUTE),
        ...generatedRequests(
          "generated requests > are answered in process as the model says, and stored only where they are valid",
        ),
      ],
    },
    {
      row: "1. By API key, an expired artifact is 410, type and code both `artifact_expired`",
      tests: errors(
        "errors > answers 410 artifact_expired where the artifact expires this very millisecond",
      ),
    },
    {
      row: "1. So is one that is no longer available",
      tests: errors(
        "errors > answers 410 artifact_expired where the artifact has expired and its bytes are gone",
      ),
    },
    {
      row: "2. By a private link, unavailable content is 404",
      tests: links("a private link > ends when the artifact does, whatever it says"),
    },
    {
      row: "3. Expired files cannot be downloaded or recovered",
      tests: [
        ...errors(
          "errors > answers 410 artifact_expired where the artifact expires this very millisecond",
        ),
        ...sweep("a sweep > removes the bytes a day after expiry, once, and then forgets the task"),
      ],
    },
  ],
}

const LIMITS: ConformanceSection = {
  document: "Specification",
  section: "§8",
  title: "Limits",
  rows: [
    {
      row: "Artifacts are kept 14 days; each one's `expires_at` is authoritative",
      tests: [
        ...retention(
          "an artifact > is kept as long as its account says, else as long as the setting does",
          "an artifact > keeps the expiry it got when the account's time changes",
        ),
        ...artifactLinks(
          "a listing > leaves out an expiry that is hidden, and the content ends all the same",
        ),
      ],
    },
    {
      row: "Text-to-image `prompt`: 1 to 10000 characters",
      tests: parameters(
        "the prompt of text to image > refuses an empty one",
        "the prompt of text to image > accepts 10,000 characters",
        "the prompt of text to image > refuses 10,001 characters",
      ),
    },
    {
      row: "Edit `prompt`: at most 8000 characters",
      tests: parameters(
        "the parameters of the edit > accepts a prompt of 8,000 code points",
        "the parameters of the edit > refuses a prompt of 8,001 code points",
      ),
    },
    {
      row: "Edit `image_urls`: at most 5 items",
      tests: parameters(
        "the parameters of the edit > accepts five images, the same five times",
        "the parameters of the edit > refuses six images",
      ),
    },
    {
      row: "Edit `count`: 1 to 4",
      tests: parameters(
        "the parameters of the edit > refuses count 0",
        "the parameters of the edit > accepts count 4",
        "the parameters of the edit > refuses count 5",
      ),
    },
    {
      row: "Video `duration`: 4 to 30 seconds",
      tests: parameters(
        "the parameters of reference to video > refuses duration 3",
        "the parameters of reference to video > accepts duration 30",
        "the parameters of reference to video > refuses duration 31",
      ),
    },
    {
      row: "Video `image_urls`: at most 30 items",
      tests: parameters("the parameters of reference to video > refuses 31 image_urls"),
    },
    {
      row: "Video `video_urls`: at most 10 items",
      tests: parameters("the parameters of reference to video > refuses 11 video_urls"),
    },
    {
      row: "Video `audio_urls`: at most 10 items",
      tests: parameters("the parameters of reference to video > refuses 11 audio_urls"),
    },
    {
      row: "Colour components: integers 0 to 255",
      tests: parameters(
        "the other parameters of text to image > refuses background_color.r -1",
        "the other parameters of text to image > accepts background_color.g 255",
        "the other parameters of text to image > refuses background_color.b 256",
        "the other parameters of text to image > refuses a component out of range",
      ),
    },
    {
      row: "A video is charged by its measured output and the processed input, per second",
      tests: charge("a video's charge > is the exact amount, rounded up once"),
    },
    {
      row: "Input videos are processed for up to 30 seconds in total",
      tests: charge(
        "a video's charge > counts inputs of 30001 ms as 30000 ms",
        "a video's charge > counts inputs of 20000 + 20000 + 20000 ms as 30000 ms",
      ),
    },
    {
      row: "A main input video shorter than 4 seconds is billed as 4 seconds",
      tests: charge(
        "a video's charge > counts inputs of 3999 ms as 4000 ms",
        "a video's charge > counts inputs of 3000 + 3000 ms as 7000 ms",
      ),
    },
  ],
}

const VERSIONING: ConformanceSection = {
  document: "Specification",
  section: "§9",
  title: "Versioning",
  rows: [
    { row: "All paths carry the prefix `/v1`", tests: errors(UNKNOWN_ROUTE) },
    {
      row: "Model ids carry the model's own version, and `model` must equal the id exactly",
      tests: answers(
        "a model's id > is unknown without its version",
        "a model's id > is unknown in another case",
        "a model's id > is unknown with a space before it",
      ),
    },
    {
      row: "Parameters and limits vary by model",
      tests: parameters(
        "the parameters of the edit > refuses a quality of other models",
        "the parameters of reference to video > accepts a prompt of a million characters",
      ),
    },
  ],
}

export const LIMIT_SECTIONS: readonly ConformanceSection[] = [ERRORS, LIMITS, VERSIONING]
