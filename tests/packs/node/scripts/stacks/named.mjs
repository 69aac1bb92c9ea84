export default function () { return new Error("def"); } export const named = () => new Error("named");
