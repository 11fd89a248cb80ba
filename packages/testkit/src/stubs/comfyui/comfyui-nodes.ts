/**
 * What ComfyUI reports of its node classes. The stub runs nodes of any class, and reports only those of a plain
 * installation, with some checkpoints and files.
 */

type Fields = Readonly<Record<string, unknown>>

const CHECKPOINTS = ["sd_xl_base_1.0.safetensors", "v1-5-pruned-emaonly-fp16.safetensors"]

/** Inputs by class: a type with its bounds, or a list of choices, in both forms that there are. */
export const REQUIRED_INPUTS: Readonly<Record<string, Fields>> = {
  CheckpointLoaderSimple: { ckpt_name: [CHECKPOINTS, { tooltip: "The model to load." }] },
  CLIPLoader: {
    clip_name: [["umt5_xxl_fp8_e4m3fn_scaled.safetensors"]],
    type: [["stable_diffusion", "wan"]],
  },
  CLIPTextEncode: { text: ["STRING", { multiline: true, dynamicPrompts: true }], clip: ["CLIP"] },
  CreateVideo: { images: ["IMAGE"], fps: ["FLOAT", { default: 30, min: 1, max: 120 }] },
  EmptyHunyuanLatentVideo: {
    width: ["INT"],
    height: ["INT"],
    length: ["INT"],
    batch_size: ["INT"],
  },
  EmptyLatentImage: {
    width: ["INT", { default: 512, min: 16, max: 16_384, step: 8 }],
    height: ["INT", { default: 512, min: 16, max: 16_384, step: 8 }],
    batch_size: ["INT", { default: 1, min: 1, max: 4_096 }],
  },
  ImageScaleToTotalPixels: {
    image: ["IMAGE"],
    upscale_method: [["nearest-exact", "bilinear", "area", "bicubic", "lanczos"]],
    megapixels: ["FLOAT"],
  },
  KSampler: {
    model: ["MODEL"],
    seed: ["INT", { default: 0, min: 0, max: 2 ** 53, control_after_generate: true }],
    steps: ["INT"],
    cfg: ["FLOAT"],
    sampler_name: [["euler", "euler_ancestral", "dpmpp_2m", "uni_pc"]],
    scheduler: ["COMBO", { options: ["normal", "karras", "simple"] }],
    positive: ["CONDITIONING"],
    negative: ["CONDITIONING"],
    latent_image: ["LATENT"],
    denoise: ["FLOAT"],
  },
  LoadImage: { image: [["example.png"], { image_upload: true }] },
  ModelSamplingSD3: { model: ["MODEL"], shift: ["FLOAT"] },
  PreviewImage: { images: ["IMAGE"] },
  RepeatLatentBatch: { samples: ["LATENT"], amount: ["INT"] },
  SaveImage: { images: ["IMAGE"], filename_prefix: ["STRING", { default: "ComfyUI" }] },
  SaveVideo: {
    video: ["VIDEO"],
    filename_prefix: ["STRING"],
    format: ["COMBO", { options: ["auto", "mp4"] }],
    codec: ["COMBO", { options: ["auto", "h264"] }],
  },
  UNETLoader: {
    unet_name: [["wan2.1_t2v_1.3B_fp16.safetensors"]],
    weight_dtype: [["default", "fp8_e4m3fn"]],
  },
  VAEDecode: { samples: ["LATENT"], vae: ["VAE"] },
  VAEEncode: { pixels: ["IMAGE"], vae: ["VAE"] },
  VAELoader: { vae_name: [["wan_2.1_vae.safetensors"]] },
}

const OUTPUT_NODES: ReadonlySet<string> = new Set(["PreviewImage", "SaveImage", "SaveVideo"])

/** One class, or all; empty for a class that is not installed. */
export function showNodes(one?: string): Fields {
  const types = Object.keys(REQUIRED_INPUTS).filter((type) => one === undefined || type === one)
  return Object.fromEntries(types.map((type) => [type, toInfo(type)]))
}

function toInfo(type: string): Fields {
  const required = REQUIRED_INPUTS[type] ?? {}
  return {
    input: { required },
    input_order: { required: Object.keys(required) },
    name: type,
    display_name: type,
    description: "",
    python_module: "nodes",
    category: "sd",
    output_node: OUTPUT_NODES.has(type),
  }
}
