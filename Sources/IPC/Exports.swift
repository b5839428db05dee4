// The values that the API shows: items, content types, outcomes, errors.
@_exported public import IPCModel
