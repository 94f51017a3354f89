drop function extensions.url_encode(bytea), extensions.url_decode(text), extensions.algorithm_sign(text, text, text),
  extensions.sign(json, text, text), extensions.verify(text, text, text);
create extension pgjwt with schema extensions;
