/** A channel for a ComfyUI server of one's own: a workflow file for each public model. */
export { createComfyUiChannel } from "./comfyui-channel.ts"
export { DEFAULTS, type ComfyUiOptions } from "./options.ts"
