/** An ordinary request, submitted by benchmarks and scenarios. */
export const SAMPLE_REQUEST = {
  account: "sample",
  model: "vendor-a/v4.1/flash/text-to-image",
  parameters: {
    prompt: "A lighthouse on a cliff at dusk, long exposure, the sea like mist below it",
    size: "landscape_16_9",
    colors: [
      { r: 18, g: 52, b: 86 },
      { r: 240, g: 180, b: 90 },
    ],
  },
} as const
