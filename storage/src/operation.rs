//! Names of the storage operations that RLS policies can query with the SQL function `storage.operation()`.

macro_rules! operations {
    ($($variant:ident => $name:literal),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Operation { $($variant),+ }

        impl Operation {
            /// Returns the value of the PostgreSQL setting `storage.operation` for this operation.
            #[must_use]
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

operations! {
    BucketCreate => "storage.bucket.create",
    BucketDelete => "storage.bucket.delete",
    BucketEmpty => "storage.bucket.empty",
    BucketList => "storage.bucket.list",
    BucketGet => "storage.bucket.get",
    BucketUpdate => "storage.bucket.update",
    BucketLifecycleGet => "storage.bucket.get_lifecycle",
    BucketLifecyclePut => "storage.bucket.update_lifecycle",
    BucketLifecycleDelete => "storage.bucket.delete_lifecycle",
    LifecycleExpire => "storage.lifecycle.expire",
    ObjectUpload => "storage.object.upload",
    ObjectUploadUpdate => "storage.object.upload_update",
    ObjectUploadSigned => "storage.object.upload_signed",
    ObjectCopy => "storage.object.copy",
    ObjectMove => "storage.object.move",
    ObjectDelete => "storage.object.delete",
    ObjectDeleteMany => "storage.object.delete_many",
    ObjectGetPublic => "storage.object.get_public",
    ObjectGetAuthenticated => "storage.object.get_authenticated",
    ObjectGetSigned => "storage.object.get_signed",
    ObjectInfoPublic => "storage.object.info_public",
    // As in Supabase Storage, these two names lack the prefix `storage.`. The prefix must not be added, because RLS policies of projects
    // compare the whole name.
    ObjectInfoAuthenticated => "object.get_authenticated_info",
    ObjectHeadAuthenticated => "object.head_authenticated_info",
    ObjectList => "storage.object.list",
    ObjectListV2 => "storage.object.list_v2",
    ObjectSign => "storage.object.sign",
    ObjectSignMany => "storage.object.sign_many",
    ObjectSignUpload => "storage.object.sign_upload_url",
    RenderAuthenticated => "storage.render.image_authenticated",
    RenderPublic => "storage.render.image_public",
    RenderSigned => "storage.render.image_sign",
    TusCreate => "storage.tus.upload.create",
    TusPart => "storage.tus.upload.part",
    TusGet => "storage.tus.upload.get",
    TusDelete => "storage.tus.upload.delete",
    TusCreateSigned => "storage.tus.upload.create_signed",
    TusPartSigned => "storage.tus.upload.part_signed",
    TusGetSigned => "storage.tus.upload.get_signed",
    TusDeleteSigned => "storage.tus.upload.delete_signed",
    VectorBucketCreate => "storage.vector.bucket.create",
    VectorBucketDelete => "storage.vector.bucket.delete",
    VectorBucketList => "storage.vector.bucket.list",
    VectorBucketGet => "storage.vector.bucket.get",
    VectorIndexCreate => "storage.vector.index.create",
    VectorIndexDelete => "storage.vector.index.delete",
    VectorIndexList => "storage.vector.index.list",
    VectorIndexGet => "storage.vector.index.get",
    VectorsPut => "storage.vector.vectors.put",
    VectorsGet => "storage.vector.vectors.get",
    VectorsList => "storage.vector.vectors.list",
    VectorsQuery => "storage.vector.vectors.query",
    VectorsDelete => "storage.vector.vectors.delete",
    S3BucketCreate => "storage.s3.bucket.create",
    S3BucketDelete => "storage.s3.bucket.delete",
    S3BucketHead => "storage.s3.bucket.head",
    S3BucketList => "storage.s3.bucket.list",
    S3BucketLocation => "storage.s3.bucket.get_location",
    S3BucketVersioning => "storage.s3.bucket.get_versioning",
    S3BucketPutVersioning => "storage.s3.bucket.put_versioning",
    S3BucketGetLifecycle => "storage.s3.bucket.get_lifecycle",
    S3BucketPutLifecycle => "storage.s3.bucket.put_lifecycle",
    S3BucketDeleteLifecycle => "storage.s3.bucket.delete_lifecycle",
    S3VersionsList => "storage.s3.object.list_versions",
    S3ObjectCopy => "storage.s3.object.copy",
    S3ObjectGet => "storage.s3.object.get",
    S3ObjectList => "storage.s3.object.list",
    S3ObjectInfo => "storage.s3.object.info",
    S3ObjectDelete => "storage.s3.object.delete",
    S3ObjectDeleteMany => "storage.s3.object.delete_many",
    S3ObjectTagging => "storage.s3.object.get_tagging",
    S3Upload => "storage.s3.upload",
    S3MultipartCreate => "storage.s3.upload.create_multipart",
    S3Part => "storage.s3.upload.part",
    S3PartCopy => "storage.s3.upload.part_copy",
    S3MultipartComplete => "storage.s3.upload.complete_multipart",
    S3MultipartAbort => "storage.s3.upload.abort_multipart",
    S3MultipartList => "storage.s3.upload.list_multipart",
    S3PartsList => "storage.s3.upload.list_parts",
}
