import express from "npm:express@4.18.2";
const app = express();
app.use(express.json());
app.all("/express-npm", (request, response) => response.json({ ok: request.path === "/express-npm" }));
app.listen(3000);
