import type { FailureEntries } from './failure-entry';

/** What keeps the way from a sandbox to its model from being made ready. */
export const GATEWAY_CODES = {
  forwarder_unusable: {
    blame: ['infra'],
    meaning: 'The image of the forwarder to the model gateway cannot be made or used.',
    operator: 'Check that the engine can hold the image, and read the reason in the message.',
  },
  gateway_not_offered: {
    blame: ['infra'],
    meaning: 'The sandbox is to reach a model gateway, and the worker has no forwarder.',
    operator: 'Configure the model gateway on the executors that run real agents.',
  },
  gateway_sidecar_failed: {
    blame: ['infra'],
    meaning: 'The sidecar that leads to the model gateway does not open.',
    operator: 'Read what the sidecar said, and check the folder of its socket.',
  },
  gateway_not_listening: {
    blame: ['infra'],
    meaning: 'The model gateway cannot listen on its socket or port.',
    operator: 'Free the port or path that the message names.',
  },
  gateway_trial_open: {
    blame: ['infra'],
    meaning: 'The same attempt was opened on the model gateway twice.',
    operator: "Nothing at first; if it comes again, report it with the executor's log.",
  },
  gateway_token_weak: {
    blame: ['infra'],
    meaning: "A trial's token for the model gateway is too short to be a secret.",
    operator: 'Report it: tokens are made by the executor.',
  },
  model_unpriced: {
    blame: ['infra'],
    meaning: 'The run has a budget of money, and the executor has no price file.',
    operator: 'Give the executor a price file, or take the cost limit out of the suite.',
  },
  model_key_unsafe: {
    blame: ['infra'],
    meaning: "The file with the model's key is missing, empty, a link, or open to others.",
    operator: "Make it a plain file of the executor's user with mode 0600, in a folder that others cannot write.",
  },
  model_base_url_invalid: {
    blame: ['infra'],
    meaning: "The address of the model's provider is none that can be used.",
    operator: 'Correct the base URL: http or https, without credentials and query.',
  },
  price_file_invalid: {
    blame: ['infra'],
    meaning: 'The price file cannot be read, or is wrong.',
    operator: 'Correct the file where the message says.',
  },
} as const satisfies FailureEntries;
