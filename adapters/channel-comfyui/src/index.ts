/** A channel for your own ComfyUI server: a workflow file for each public model. */
export { createComfyUiChannel } from "./comfyui-channel.ts"
export { DEFAULTS, type ComfyUiOptions } from "./options.ts"
