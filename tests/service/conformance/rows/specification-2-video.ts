/** Specification §2.6: the parameters of the video model, field by field. */
import type { ConformanceSection } from "../conformance-row.ts"
import { accepts, bounded, DEFAULTS, within } from "./parameter-names.ts"
import { parameters, films } from "./test-files.ts"

function video(...names: readonly string[]): readonly string[] {
  return within("the parameters of reference to video", ...names)
}

export const VIDEO: ConformanceSection = {
  document: "Specification",
  section: "§2.6",
  title: "Parameters of `vendor-c/video-2.5/reference-to-video`",
  rows: [
    {
      row: "All fields are optional, without defaults",
      tests: parameters(DEFAULTS, ...video("accepts none at all")),
    },
    {
      row: "`prompt`: a string",
      tests: parameters(...video("accepts an empty prompt", "refuses a prompt null")),
    },
    {
      row: "`resolution`: `480p`, `720p` or `1080p`",
      tests: parameters(
        ...video(...accepts("resolution", "480p", "720p", "1080p"), "refuses resolution 720P"),
      ),
    },
    {
      row: "`generate_audio`: boolean",
      tests: parameters(
        ...video(...accepts("generate_audio", "true", "false"), "refuses generate_audio as a text"),
      ),
    },
    {
      row: "`duration`: integer from 4 to 30 seconds",
      tests: parameters(...video(...bounded("duration", 4, 30))),
    },
    {
      row: "`aspect_ratio`: one of six",
      tests: parameters(
        ...video(
          ...accepts("aspect_ratio", "21:9", "16:9", "4:3", "1:1", "3:4", "9:16"),
          "refuses aspect_ratio empty",
        ),
      ),
    },
    {
      row: "`image_urls`: at most 30 items",
      tests: parameters(...video("accepts 30 image_urls", "refuses 31 image_urls")),
    },
    {
      row: "`image_urls`: in first-frame then last-frame order",
      tests: films(
        "reference images > make the first frame the whole first image, and the last frame the whole last one",
      ),
    },
    {
      row: "`video_urls`: at most 10 items",
      tests: parameters(...video("accepts 10 video_urls", "refuses 11 video_urls")),
    },
    {
      row: "`audio_urls`: at most 10 items",
      tests: parameters(...video("accepts 10 audio_urls", "refuses 11 audio_urls")),
    },
    {
      row: "`bitrate_mode`: `standard` or `high`",
      tests: parameters(
        ...video(...accepts("bitrate_mode", "standard", "high"), "refuses bitrate_mode HIGH"),
      ),
    },
  ],
}
