/**
 * The parameters of each model, generated from the schemas that check them: `npm run client:update`. A
 * service with models of its own declares theirs by merging into `ModelParameters`.
 */

/** By the model's public id. */
export interface ModelParameters {
  "vendor-a/v4.1/flash/text-to-image": {
    readonly background_color?:
      | {
          /** 0 to 255. Default `0`. */
          readonly b?: number | undefined
          /** 0 to 255. Default `0`. */
          readonly g?: number | undefined
          /** 0 to 255. Default `0`. */
          readonly r?: number | undefined
        }
      | undefined
    /** Default `[]`. */
    readonly colors?:
      | readonly {
          /** 0 to 255. Default `0`. */
          readonly b?: number | undefined
          /** 0 to 255. Default `0`. */
          readonly g?: number | undefined
          /** 0 to 255. Default `0`. */
          readonly r?: number | undefined
        }[]
      | undefined
    /** Default `true`. */
    readonly enable_safety_checker?: boolean | undefined
    /** 1 to 10000 characters. */
    readonly prompt: string
    /** Default `"square_hd"`. */
    readonly size?:
      | "square_hd"
      | "square"
      | "portrait_4_3"
      | "portrait_16_9"
      | "landscape_4_3"
      | "landscape_16_9"
      | undefined
  }
  "vendor-b/imagine-image/v2.0/edit": {
    /** Default `"auto"`. */
    readonly aspect_ratio?:
      | "auto"
      | "2:1"
      | "20:9"
      | "19.5:9"
      | "16:9"
      | "4:3"
      | "3:2"
      | "1:1"
      | "2:3"
      | "3:4"
      | "9:16"
      | "9:19.5"
      | "9:20"
      | "1:2"
      | undefined
    /** 1 to 4. Default `1`. */
    readonly count?: number | undefined
    /** An http or https URL of at most 8192 characters and without credentials, or a base64 data URL of at most 20971520 bytes, decoded: image/png, image/jpeg, image/webp. 1 to 5 items. */
    readonly image_urls: readonly string[]
    /** Default `"jpeg"`. */
    readonly output_format?: "jpeg" | "png" | "webp" | undefined
    /** At most 8000 characters. */
    readonly prompt: string
    /** Default `"medium"`. */
    readonly quality?: "low" | "medium" | undefined
    /** Default `"1k"`. */
    readonly resolution?: "1k" | "2k" | undefined
    /** Default `false`. */
    readonly sync_mode?: false | undefined
  }
  "vendor-c/video-2.5/reference-to-video": {
    readonly aspect_ratio?: "21:9" | "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | undefined
    /** An http or https URL of at most 8192 characters and without credentials, or a base64 data URL of at most 20971520 bytes, decoded: audio/mpeg, audio/mp4, audio/wav, audio/ogg, audio/webm, audio/aac. At most 10 items. */
    readonly audio_urls?: readonly string[] | undefined
    readonly bitrate_mode?: "standard" | "high" | undefined
    /** 4 to 30. */
    readonly duration?: number | undefined
    readonly generate_audio?: boolean | undefined
    /** An http or https URL of at most 8192 characters and without credentials, or a base64 data URL of at most 20971520 bytes, decoded: image/png, image/jpeg, image/webp. At most 30 items. */
    readonly image_urls?: readonly string[] | undefined
    /** At most 1000000 characters. */
    readonly prompt?: string | undefined
    readonly resolution?: "480p" | "720p" | "1080p" | undefined
    /** An http or https URL of at most 8192 characters and without credentials, or a base64 data URL of at most 20971520 bytes, decoded: video/mp4, video/webm, video/quicktime. At most 10 items. */
    readonly video_urls?: readonly string[] | undefined
  }
}
