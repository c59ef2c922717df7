// kubernetes.cjs: checks Jobs, a JSON array on standard input, against the OpenAPI schema of Kubernetes (kubernetes-models).
const {Job} = require("kubernetes-models/batch/v1/Job");

const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
for (const job of jobs) new Job(job).validate();
// A wrong one is refused: otherwise nothing was checked.
const wrong = JSON.parse(JSON.stringify(jobs[0]));
wrong.spec.completions = "8";
try {
    new Job(wrong).validate();
} catch {
    process.exit(0);
}
console.error("the schema accepts a text as a number");
process.exit(1);
