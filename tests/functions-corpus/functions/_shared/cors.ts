export const corsHeaders = { "Access-Control-Allow-Origin": "*" };
