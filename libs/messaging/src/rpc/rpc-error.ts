/** Header of an answer that tells of a failure instead of answering: its value is the failure's code. */
export const RPC_ERROR_HEADER = 'assay-error';
